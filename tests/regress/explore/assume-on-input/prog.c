/* An assumption about an input keeps one of two branches. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n == 1);
    pthread_create(&t, 0, worker, 0);
    x = 2;
    pthread_join(t, 0);
    assert(x == n);
    return 0;
}
