/* A loop that is cut: on one path after a step, on the other the thread is stuck. */
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int x, y;

static void *worker(void *arg) {
    if (x == 1)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t t;
    int value = __VERIFIER_nondet_int();
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < 2; i++) {
        x = value;
        if (value == 0)
            y++;
        else
            __VERIFIER_assume(value != 1);
    }
    return 0;
}
