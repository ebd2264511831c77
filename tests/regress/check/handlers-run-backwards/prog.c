/* Functions for the end of the process run in reverse order, after other threads
   have done whatever they had time for. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int order, x;

static void first(void) {
    assert(order == 1);
    assert(x == 0);
}

static void second(void) { order++; }

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    atexit(first);
    atexit(second);
    pthread_create(&t, 0, worker, 0);
    return 0;
}
