#include <pthread.h>

int n = 1;

static int depth(int of) {
    return of > 0 ? 1 + depth(of - 1) : 0;
}

static void *worker(void *arg) {
    n = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return depth(n);
}
