#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *worker(void *arg) {
    pthread_rwlock_wrlock(&l);
    x++;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_rwlock_rdlock(&l);
    int seen = x;
    (void)seen;
    pthread_rwlock_unlock(&l);
    pthread_join(thread, 0);
    return 0;
}
