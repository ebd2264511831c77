/* A block that another thread has just freed may come back at the same address. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *top;

static void *worker(void *arg) {
    free(top);
    return 0;
}

int main(void) {
    pthread_t t;
    top = malloc(sizeof *top);
    pthread_create(&t, 0, worker, 0);
    int *seen = top;
    int *fresh = malloc(sizeof *fresh);
    assert(fresh != seen);
    return 0;
}
