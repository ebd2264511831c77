/* A loop that is cut on two paths, and a third on which the thread stops before. */
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int x, y;

static void *worker(void *arg) {
    if (x == 1)
        reach_error();
    y = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    int value = __VERIFIER_nondet_int();
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < 2; i++) {
        x = value;
        if (value == 1)
            __VERIFIER_assume(0);
        else if (value == -1)
            y = 1;
    }
    return 0;
}
