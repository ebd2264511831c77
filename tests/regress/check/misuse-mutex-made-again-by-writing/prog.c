/* After a mutex is destroyed, its static initialiser makes it again. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, 0, worker, 0);
        pthread_join(t, 0);
        pthread_mutex_destroy(&lock);
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    }
    assert(done == 2);
    return 0;
}
