#include <pthread.h>
#include <stdlib.h>

pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;

static void *worker(void *arg) {
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
    pthread_join(thread, 0);
    return 0;
}
