#include <pthread.h>
#include <stdlib.h>

int a[300];
int i = 1;

static void *worker(void *arg) {
    i = 149;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    a[i * 2] = 1;
    pthread_join(thread, 0);
    return 0;
}
