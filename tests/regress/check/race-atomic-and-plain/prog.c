#include <pthread.h>

int x;

static void *worker(void *arg) {
    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    x = 2;
    pthread_join(thread, 0);
    return 0;
}
