#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
int *shown;
int count;

static void *worker(void *arg) {
    int own[2] = { 0, 1 };
    if (__VERIFIER_nondet_int())
        count++;
    shown = &own[1];
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int *seen = shown;
    if (seen)
        *seen = 2;
    return 0;
}
