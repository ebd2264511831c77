// Threads meet at a barrier, which may wait for one more than there are.

#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifdef BAD
#define NEEDED (N + 1)
#else
#define NEEDED N
#endif

static pthread_barrier_t barrier;

static void *worker(void *arg) {
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, 0, NEEDED);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
