#include <pthread.h>
#include <stdlib.h>

int x;
int *p = &x;

static void *worker(void *arg) {
    p = 0;
    p = &x;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int *q = p;
    if (q)
        *q = 1;
    pthread_join(thread, 0);
    return 0;
}
