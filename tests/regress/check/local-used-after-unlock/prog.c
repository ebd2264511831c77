/* The last thing before a function returns is to unlock. */
#include <assert.h>
#include <pthread.h>

int *p;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int *q = p;
    if (q) {
        assert(*q == 0);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

static void lend(void) {
    int x = 1;
    pthread_mutex_lock(&m);
    p = &x;
    pthread_mutex_unlock(&m);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    lend();
    pthread_join(t, 0);
    return 0;
}
