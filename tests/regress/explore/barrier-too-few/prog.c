/* A barrier for three with only two threads. */
#include <pthread.h>

pthread_barrier_t b;

static void *worker(void *arg) {
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 3);
    pthread_create(&t, 0, worker, 0);
    pthread_barrier_wait(&b);
    pthread_join(t, 0);
    return 0;
}
