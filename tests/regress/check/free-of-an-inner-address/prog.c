#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    p++;
    return 0;
}

int main(void) {
    pthread_t thread;
    p = malloc(2 * sizeof *p);
    pthread_create(&thread, 0, worker, 0);
    free(p);
    pthread_join(thread, 0);
    return 0;
}
