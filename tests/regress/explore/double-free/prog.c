/* Two threads free the same block. */
#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    free(p);
    return 0;
}

int main(void) {
    pthread_t t;
    p = malloc(sizeof(int));
    pthread_create(&t, 0, worker, 0);
    free(p);
    pthread_join(t, 0);
    return 0;
}
