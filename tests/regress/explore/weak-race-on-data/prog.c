/* The flag is released, but not acquired: the data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int y;

static void *worker(void *arg) {
    x = 1;
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (atomic_load_explicit(&y, memory_order_relaxed) == 1) {
        int r = x;
        (void)r;
    }
    return 0;
}
