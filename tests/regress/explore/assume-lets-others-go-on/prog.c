/* A failed assumption stops one thread only: the other still sees its write. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int x;

static void *worker(void *arg) {
    x = 1;
    __VERIFIER_assume(0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x == 0);
    return 0;
}
