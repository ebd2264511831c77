#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    int seen = *p;
    (void)seen;
    return 0;
}

int main(void) {
    pthread_t thread;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&thread, 0, worker, 0);
    free(p);
    pthread_join(thread, 0);
    return 0;
}
