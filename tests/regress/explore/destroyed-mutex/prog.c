/* A mutex is locked after it was destroyed. */
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int gone;

static void *worker(void *arg) {
    if (gone) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_destroy(&m);
    gone = 1;
    pthread_join(t, 0);
    return 0;
}
