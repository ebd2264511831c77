// Each thread takes its own lock and then that of the next, which closes a cycle;
// or the locks of a chain without end.

#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifdef BAD
#define LOCKS N
#else
#define LOCKS (N + 1)
#endif

static pthread_mutex_t locks[LOCKS];

static void *worker(void *arg) {
    int i = (int)(long)arg;
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[(i + 1) % LOCKS]);
    pthread_mutex_unlock(&locks[(i + 1) % LOCKS]);
    pthread_mutex_unlock(&locks[i]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
