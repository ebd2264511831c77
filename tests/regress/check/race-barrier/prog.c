#include <pthread.h>

pthread_barrier_t b;
int x;

static void *worker(void *arg) {
    x = 1;
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    pthread_barrier_wait(&b);
    x++;
    pthread_join(thread, 0);
    return 0;
}
