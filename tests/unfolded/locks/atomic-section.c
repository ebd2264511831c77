// unfold:
// An atomic section is one step.
#include <pthread.h>
int x, y;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static void *run(void *arg) {
    __VERIFIER_atomic_begin();
    x = x + 1;
    y = x;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
