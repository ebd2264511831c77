/* A thread frees what it was given, which may be nothing, and fails if it is. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

static void *worker(void *arg) {
    free(arg);
    assert(arg != 0);
    return 0;
}

int main(void) {
    pthread_t t;
    int *block = 0;
    if (__VERIFIER_nondet_bool()) {
        block = malloc(sizeof(int));
    }
    pthread_create(&t, 0, worker, block);
    return 0;
}
