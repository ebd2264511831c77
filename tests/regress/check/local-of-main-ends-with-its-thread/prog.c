#include <pthread.h>

static void *worker(void *arg) {
    int *p = arg;
    *p = 1;
    return 0;
}

int main(void) {
    int local = 0;
    pthread_t thread;
    pthread_create(&thread, 0, worker, &local);
    pthread_exit(0);
}
