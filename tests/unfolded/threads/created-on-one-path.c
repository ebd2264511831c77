// unfold:
// A creation that only one path reaches.
#include <pthread.h>
int x;
int __VERIFIER_nondet_int(void);

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    if (__VERIFIER_nondet_int()) pthread_create(&a, 0, run, 0);
    x = 2;
    return 0;
}
