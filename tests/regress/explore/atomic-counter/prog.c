/* main and a thread increment an atomic counter. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *worker(void *arg) {
    atomic_fetch_add(&x, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    atomic_fetch_add(&x, 1);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
