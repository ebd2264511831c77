/* Each thread reads an input of its own. */
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

static void *worker(void *arg) {
    _Bool b = __VERIFIER_nondet_bool();
    x = b;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int v = x;
    _Bool c = __VERIFIER_nondet_bool();
    pthread_join(t, 0);
    assert(!(v && c));
    return 0;
}
