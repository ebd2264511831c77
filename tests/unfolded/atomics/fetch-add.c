// unfold:
// An atomic addition is one step.
#include <pthread.h>
_Atomic int x;

static void *run(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
