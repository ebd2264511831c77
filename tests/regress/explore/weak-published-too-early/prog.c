/* What was written before an address is handed out may still be seen unwritten. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int *_Atomic p;

static void *worker(void *arg) {
    atomic_int *block = calloc(1, sizeof *block);
    atomic_store_explicit(block, 1, memory_order_relaxed);
    atomic_store_explicit(&p, block, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    atomic_int *block = atomic_load_explicit(&p, memory_order_relaxed);
    if (block)
        assert(atomic_load_explicit(block, memory_order_relaxed) == 1);
    return 0;
}
