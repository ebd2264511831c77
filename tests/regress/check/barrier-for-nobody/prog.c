#include <pthread.h>

pthread_barrier_t b;

int main(void) {
    pthread_barrier_init(&b, 0, 0);
    pthread_barrier_wait(&b);
    return 0;
}
