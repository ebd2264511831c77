#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *g;

void store(void) {
    int *p = malloc(sizeof *p);
    pthread_mutex_lock(&m);
    if (!g)
        g = p;
    else
        free(p);
    pthread_mutex_unlock(&m);
}

void *run(void *arg) {
    store();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    store();
    pthread_join(t, 0);
    return 0;
}
