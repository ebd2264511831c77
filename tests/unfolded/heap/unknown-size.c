// unfold: checks=memory
// A block whose size is an input.
#include <pthread.h>
#include <stdlib.h>
char *p;
unsigned __VERIFIER_nondet_uint(void);

static void *run(void *arg) {
    if (p) p[2] = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 4) p = malloc(n);
    return 0;
}
