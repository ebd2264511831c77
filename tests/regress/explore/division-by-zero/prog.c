/* The divisor is zero for a moment. */
#include <pthread.h>

int x = 1;

static void *worker(void *arg) {
    x = 0;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int r = 10 / x;
    pthread_join(t, 0);
    return r > 10;
}
