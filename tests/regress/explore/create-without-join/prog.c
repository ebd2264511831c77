/* main returns without waiting for the thread. */
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
