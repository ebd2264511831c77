#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
_Atomic(int *) shown;
int other, done;

static void *worker(void *arg) {
    int own[2] = { 0, 1 };
    if (__VERIFIER_nondet_int())
        shown = &own[0];
    int *place = __VERIFIER_nondet_int() ? &own[1] : &other;
    *place = 3;
    own[0] = *place;
    done = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int was = done;
    int *seen = shown;
    if (seen)
        *seen = was;
    return 0;
}
