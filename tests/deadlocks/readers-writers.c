// Readers and one writer. A reader that wants to write must give up reading first.

#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int seen = data;
#ifndef BAD
    pthread_rwlock_unlock(&lock);
#endif
    if (seen == 0) {
        pthread_rwlock_wrlock(&lock);
        data = 1;
        pthread_rwlock_unlock(&lock);
    }
#ifdef BAD
    pthread_rwlock_unlock(&lock);
#endif
    return 0;
}

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    data = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_create(&threads[0], 0, writer, 0);
    for (int i = 1; i < N; i++)
        pthread_create(&threads[i], 0, reader, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
