/* A block made by main and freed by the thread. */
#include <pthread.h>
#include <stdlib.h>

int *g;

static void *worker(void *arg) {
    free(g);
    return 0;
}

int main(void) {
    pthread_t t;
    g = malloc(sizeof(int));
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    g = 0;
    return 0;
}
