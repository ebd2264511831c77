#include <pthread.h>

int a[2];

static void *worker(void *arg) {
    a[0]++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    a[1]++;
    pthread_join(thread, 0);
    return 0;
}
