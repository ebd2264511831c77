#include <pthread.h>
#include <stdlib.h>

int a[3], b[3];
int i = 1;

static void *worker(void *arg) {
    i--;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    i--;
    b[i] = 1;
    pthread_join(thread, 0);
    return 0;
}
