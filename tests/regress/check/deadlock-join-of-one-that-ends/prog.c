#include <pthread.h>

pthread_t first;

static void *worker(void *arg) {
    pthread_join(first, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, worker, 0);
    pthread_exit(0);
}
