/* A thread leaves by pthread_exit in an atomic section. */
#include <assert.h>
#include <pthread.h>

int *p;

extern void __VERIFIER_atomic_begin(void);

static void *worker(void *arg) {
    int local = 1;
    __VERIFIER_atomic_begin();
    p = &local;
    pthread_exit(0);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int *q = p;
    if (q) {
        *q = 0;
        assert(0);
    }
    pthread_join(t, 0);
    return 0;
}
