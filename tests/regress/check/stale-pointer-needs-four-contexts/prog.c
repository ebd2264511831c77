#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int *shared;
int stage;

static void *worker(void *arg) {
    int *seen = shared;
    if (seen && stage == 0) {
        __VERIFIER_atomic_begin();
        if (shared == seen)
            assert(stage < 2);
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void) {
    shared = malloc(sizeof *shared);
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    stage = 1;
    int *first = shared;
    shared = 0;
    free(first);
    int *second = malloc(sizeof *second);
    stage = 2;
    shared = second;
    pthread_join(thread, 0);
}
