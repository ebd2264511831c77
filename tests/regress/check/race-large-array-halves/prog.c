#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

char a[1000];

static void *worker(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    a[i % 500 * 2] = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    unsigned i = __VERIFIER_nondet_uint();
    a[i % 500 * 2 + 1] = 2;
    pthread_join(thread, 0);
    return 0;
}
