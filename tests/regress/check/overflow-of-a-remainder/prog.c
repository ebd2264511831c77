#include <pthread.h>

int d = 1;

static void *worker(void *arg) {
    d = -2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int y = (-2147483647 - 1) % d;
    pthread_join(thread, 0);
    return 0;
}
