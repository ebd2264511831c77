// unfold:
// An assumption that fails stops its thread only.
#include <pthread.h>
int x;
void __VERIFIER_assume(int);

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    __VERIFIER_assume(x == 1);
    x = 2;
    return 0;
}
