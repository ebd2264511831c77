/* A thread whose assumption does not hold goes no further. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_assume(x == 1);
    assert(x == 1);
    pthread_join(t, 0);
    return 0;
}
