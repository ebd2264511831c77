// Dining philosophers. If all reach for the left fork first, they can starve; the
// last one should be left-handed.

#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];

static void *philosopher(void *arg) {
    int i = (int)(long)arg;
    int first = i, second = (i + 1) % N;
#ifndef BAD
    if (i == N - 1) {
        first = 0;
        second = i;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
