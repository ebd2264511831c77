/* Whoever acquires what was released sees all that came before. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
atomic_int y;

static void *worker(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (atomic_load_explicit(&y, memory_order_acquire) == 1) {
        int r = atomic_load_explicit(&x, memory_order_relaxed);
        assert(r == 1);
    }
    return 0;
}
