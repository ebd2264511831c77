#include <pthread.h>
#include <stdlib.h>

int x;
int *p = 0;

static void *worker(void *arg) {
    p = &x;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    free(p);
    pthread_join(thread, 0);
    return 0;
}
