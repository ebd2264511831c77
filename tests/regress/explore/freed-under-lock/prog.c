/* Check, use, free and reset all under one mutex. */
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *g;

static void *reader(void *arg) {
    int r = 0;
    pthread_mutex_lock(&m);
    if (g)
        r = *g;
    pthread_mutex_unlock(&m);
    return r ? arg : 0;
}

int main(void) {
    pthread_t t;
    int *p = malloc(sizeof(int));
    *p = 1;
    g = p;
    pthread_create(&t, 0, reader, 0);
    pthread_mutex_lock(&m);
    free(p);
    g = 0;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
