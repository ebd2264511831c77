#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int seen = x;
    (void)seen;
    pthread_join(thread, 0);
    return 0;
}
