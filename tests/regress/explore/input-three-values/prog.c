/* An input with three values is a number of increments. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int x;

static void *worker(void *arg) {
    x = 5;
    return 0;
}

int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < n; i++)
        x++;
    pthread_join(t, 0);
    assert(x <= 5 + n);
    return 0;
}
