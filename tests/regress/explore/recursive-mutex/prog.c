/* A recursive mutex locked twice by its owner. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
