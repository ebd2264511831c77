// unfold: checks=misuse
// An unlock by a thread that does not hold the lock.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg) {
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    pthread_mutex_unlock(&m);
    return 0;
}
