/* A compare-exchange loop with one try. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void increment(void) {
    int old;
    do {
        old = x;
    } while (!atomic_compare_exchange_strong(&x, &old, old + 1));
}

static void *worker(void *arg) {
    increment();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    increment();
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
