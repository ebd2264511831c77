#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

extern void __VERIFIER_assume(int);

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    __VERIFIER_assume(0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return 0;
}
