/* Increments in atomic sections. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

static void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
