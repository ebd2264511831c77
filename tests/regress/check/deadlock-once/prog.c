#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
_Atomic int x;

static void routine(void) {
    x = 1;
}

static void *worker(void *arg) {
    pthread_once(&control, routine);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_once(&control, routine);
    pthread_join(thread, 0);
    return 0;
}
