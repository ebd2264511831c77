/* One access is atomic, the other is not: still a race. */
#include <pthread.h>

int x;

static void *worker(void *arg) {
    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int r = x;
    pthread_join(t, 0);
    return r > 1;
}
