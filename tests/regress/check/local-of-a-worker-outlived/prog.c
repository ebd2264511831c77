#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    int local = 1;
    p = &local;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int *q = p;
    if (q)
        *q = 2;
    pthread_join(thread, 0);
    return 0;
}
