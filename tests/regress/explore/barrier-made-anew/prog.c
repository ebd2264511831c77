/* Who has come through a barrier does not wait at the next one in its place. */
#include <pthread.h>

pthread_barrier_t b;

static void *worker(void *arg) {
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, worker, 0);
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(&b);
        pthread_barrier_init(&b, 0, 2);
    }
    pthread_join(t, 0);
    return 0;
}
