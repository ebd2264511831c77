// unfold: without=learning
// As control/learning, but paths do not learn from conditions.
#include <pthread.h>
int x[4];
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static void *run(void *arg) {
    x[0] = 1;
    x[1] = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 2);
    x[i] = 2;
    return 0;
}
