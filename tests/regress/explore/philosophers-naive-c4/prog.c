/* Three philosopher threads, each takes the left fork first; at most 4 contexts. */
#include <pthread.h>

pthread_mutex_t fork_[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};

static void *philosopher(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[i]);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
