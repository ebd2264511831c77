// A buffer of one element with one condition variable for both sides. A signal may
// wake somebody who has no use for it; a broadcast wakes all.

#include <pthread.h>

#ifndef N
#define N 3
#endif
#define PRODUCERS (N / 2)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void wake(void) {
#ifdef BAD
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
}

// As many elements as there are consumers, together.
static void *producer(void *arg) {
    int elements = (int)(long)arg;
    for (int i = 0; i < elements; i++) {
        pthread_mutex_lock(&lock);
        while (count == 1)
            pthread_cond_wait(&changed, &lock);
        count = 1;
        wake();
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock);
    count = 0;
    wake();
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    int consumers = N - PRODUCERS;
    for (int i = 0; i < N; i++) {
        if (i < consumers) {
            pthread_create(&threads[i], 0, consumer, 0);
        } else {
            // One of the producers makes the element that is left over.
            int extra = i == consumers && consumers > PRODUCERS;
            pthread_create(&threads[i], 0, producer, (void *)(long)(1 + extra));
        }
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
