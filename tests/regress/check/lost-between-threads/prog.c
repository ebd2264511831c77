#include <pthread.h>
#include <stdlib.h>

int *g;

void *store(void *arg) {
    g = malloc(sizeof *g);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, store, 0);
    g = malloc(sizeof *g);
    pthread_join(t, 0);
    return 0;
}
