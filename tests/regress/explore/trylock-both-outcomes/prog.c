/* trylock may find the mutex free or taken. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (pthread_mutex_trylock(&m) == 0) {
        x = 1;
        pthread_mutex_unlock(&m);
    } else {
        x = 2;
    }
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
