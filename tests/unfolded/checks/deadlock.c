// unfold: checks=deadlock
// What positions wait for, for those who look for deadlocks.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    return 0;
}

static void *other(void *arg) {
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
