#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
int count, unnoticed;

static void *worker(void *arg) {
    if (__VERIFIER_nondet_int())
        count++;
    unnoticed = 1;
    assert(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return count;
}
