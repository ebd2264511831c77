#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t threads[2];
static void *idle(void *arg) {
    return arg;
}

static void *worker(void *arg) {
    pthread_detach(threads[0]);
    return arg;
}

int main(void) {
    pthread_create(&threads[0], 0, idle, 0);
    pthread_create(&threads[1], 0, worker, 0);
    pthread_detach(threads[0]);
    return 0;
}
