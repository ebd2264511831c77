#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *p;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    free(p);
    p = 0;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    p = malloc(sizeof *p);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&m);
    if (p)
        *p = 1;
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return 0;
}
