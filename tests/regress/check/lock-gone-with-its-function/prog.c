/* Nobody but its owner reads or writes the local, but others lock it. */
#include <pthread.h>

pthread_mutex_t *p;

static void *worker(void *arg) {
    pthread_mutex_t *q = p;
    if (q) {
        pthread_mutex_lock(q);
    }
    return 0;
}

static void lend(void) {
    pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
    p = &local;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    lend();
    return 0;
}
