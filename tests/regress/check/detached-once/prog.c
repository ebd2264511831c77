#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_detach(pthread_self());
    pthread_create(&thread, 0, worker, 0);
    pthread_exit(0);
}
