#include <pthread.h>
#include <stdlib.h>

int *g;

void *take(void *arg) {
    free(__atomic_exchange_n(&g, (int *)0, __ATOMIC_SEQ_CST));
    return 0;
}

int main(void) {
    pthread_t t;
    g = malloc(sizeof *g);
    pthread_create(&t, 0, take, 0);
    free(__atomic_exchange_n(&g, (int *)0, __ATOMIC_SEQ_CST));
    pthread_join(t, 0);
    return 0;
}
