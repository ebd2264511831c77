// unfold:
// An exchange that may fail.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;

static void *run(void *arg) {
    int old = 0;
    atomic_compare_exchange_strong(&x, &old, 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
