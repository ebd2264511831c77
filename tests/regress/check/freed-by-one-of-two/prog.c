#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    free(__atomic_exchange_n(&p, (int *)0, 5));
    return 0;
}

int main(void) {
    pthread_t thread;
    p = malloc(sizeof *p);
    pthread_create(&thread, 0, worker, 0);
    free(__atomic_exchange_n(&p, (int *)0, 5));
    pthread_join(thread, 0);
    return 0;
}
