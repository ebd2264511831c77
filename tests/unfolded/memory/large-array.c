// unfold:
// An access to one of many elements guesses which one it means.
#include <pthread.h>
int x[40];
unsigned __VERIFIER_nondet_uint(void);

static void *run(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 40) x[i] = 1;
    return 0;
}

static void *other(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 40) x[i] = x[i] + 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
