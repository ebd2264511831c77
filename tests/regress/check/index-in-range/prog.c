#include <pthread.h>
#include <stdlib.h>

int a[3];
int i;

static void *worker(void *arg) {
    i = 1;
    i = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    a[i] = 1;
    pthread_join(thread, 0);
    return 0;
}
