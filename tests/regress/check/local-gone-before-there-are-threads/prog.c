/* A local ends while main is alone. */
#include <pthread.h>

int *p;

static void *worker(void *arg) {
    *p = 1;
    return 0;
}

static void lend(void) {
    int local = 1;
    p = &local;
}

int main(void) {
    pthread_t t;
    lend();
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
