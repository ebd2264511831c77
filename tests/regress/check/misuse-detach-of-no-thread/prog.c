#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t thread;
static void *worker(void *arg) {
    pthread_detach(thread);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, worker, 0);
    pthread_join(other, 0);
    return 0;
}
