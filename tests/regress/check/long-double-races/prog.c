#include <pthread.h>

static long double sum;

static void *worker(void *arg) {
    sum = 1.5L;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    sum = 2;
    pthread_join(thread, 0);
    return 0;
}
