/* A thread may register a function while main is about to end the process. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

static void at_end(void) {
    assert(0);
}

static void *worker(void *arg) {
    x = 1;
    atexit(at_end);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
