#include <pthread.h>

int n = 1;

static void *worker(void *arg) {
    n = 3;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    for (int i = 0; i < n; i++)
        ;
    pthread_join(thread, 0);
    return 0;
}
