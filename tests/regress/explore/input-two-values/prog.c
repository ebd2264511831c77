/* An input with two values decides whether main writes. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    pthread_create(&t, 0, worker, 0);
    if (n)
        x = 2;
    pthread_join(t, 0);
    assert(x != 2);
    return 0;
}
