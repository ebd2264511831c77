/* A plain flag written by one thread and read by another. */
#include <pthread.h>

int stop;

static void *worker(void *arg) {
    stop = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, 0, worker, 0);
    if (stop)
        seen = 1;
    pthread_join(t, 0);
    return seen > 1;
}
