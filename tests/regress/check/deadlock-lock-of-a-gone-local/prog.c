#include <pthread.h>

pthread_mutex_t *known;

void *worker(void *arg) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    known = &own;
    known = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_t *it = known;
    if (it)
        pthread_mutex_lock(it);
    pthread_join(thread, 0);
    return 0;
}
