/* In an atomic section the end of a local is no step of its own. */
#include <assert.h>
#include <pthread.h>

int *p;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static void *worker(void *arg) {
    int *q = p;
    if (q) {
        *q = 0;
        assert(0);
    }
    return 0;
}

static void lend(void) {
    int local = 1;
    p = &local;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    lend();
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
