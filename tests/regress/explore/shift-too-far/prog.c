/* The shift amount is set by another thread. */
#include <pthread.h>

int n;

static void *worker(void *arg) {
    n = 40;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    unsigned r = 1u << n;
    pthread_join(t, 0);
    return r == 0;
}
