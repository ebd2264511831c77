/* Exactly one thread gets the special return value of the barrier. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t b;
atomic_int n;

static void *worker(void *arg) {
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&n, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, worker, 0);
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&n, 1);
    pthread_join(t, 0);
    assert(n == 1);
    return 0;
}
