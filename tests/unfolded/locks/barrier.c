// unfold:
// Threads meet at a barrier.
#include <pthread.h>
pthread_barrier_t meet;
int x;

static void *run(void *arg) {
    x = 1;
    pthread_barrier_wait(&meet);
    x = 2;
    return 0;
}

int main(void) {
    pthread_barrier_init(&meet, 0, 2);
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
