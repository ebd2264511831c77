/* The only pointer to a block is lost. */
#include <pthread.h>
#include <stdlib.h>

int x;

static void *worker(void *arg) {
    int *p = malloc(4);
    *p = 1;
    x = *p;
    p = 0;
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
