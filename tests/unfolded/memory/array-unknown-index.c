// unfold:
// An index that is an input chooses among the elements.
#include <pthread.h>
int x[3];
int __VERIFIER_nondet_int(void);

static void *run(void *arg) {
    x[1] = 4;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 3) x[i] = 5;
    return 0;
}
