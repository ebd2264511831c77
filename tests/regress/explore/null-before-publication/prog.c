/* A pointer is used before it has been set; a mutex does not help. */
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
int *g;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    *g = 5;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    g = &x;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
