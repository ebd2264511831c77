/* The old builtin for atomic addition on a plain int. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    __sync_fetch_and_add(&x, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __sync_fetch_and_add(&x, 1);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
