#include <pthread.h>

int by = 30;

static void *worker(void *arg) {
    by++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    unsigned y = 1u << by;
    pthread_join(thread, 0);
    return 0;
}
