/* N philosophers who eat once, the lower fork first. */
#include <pthread.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t forks[N];

static void *eat(void *arg) {
    long left = (long)arg, right = (left + 1) % N;
    if (left > right) {
        long other = left;
        left = right;
        right = other;
    }
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, eat, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
}
