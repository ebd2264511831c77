/* main and two threads increment an atomic counter. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *worker(void *arg) {
    atomic_fetch_add(&x, 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    atomic_fetch_add(&x, 1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 3);
    return 0;
}
