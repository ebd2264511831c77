/* A reader may come after the free. */
#include <pthread.h>
#include <stdlib.h>

int *g;

static void *reader(void *arg) {
    int r = *g;
    return r ? arg : 0;
}

int main(void) {
    pthread_t t;
    int *p = malloc(sizeof(int));
    *p = 1;
    g = p;
    pthread_create(&t, 0, reader, 0);
    free(p);
    pthread_join(t, 0);
    return 0;
}
