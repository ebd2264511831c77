#include <pthread.h>

int x = 3;

static void *worker(void *arg) {
    x = 65536;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int y = x * x;
    pthread_join(thread, 0);
    return 0;
}
