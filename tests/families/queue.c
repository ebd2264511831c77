/* Two threads put N numbers each into a queue with a lock, two others take them. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

#define SIZE 2

pthread_mutex_t lock;
int places[SIZE], first, count, taken;

static void *put(void *arg) {
    for (int i = 0; i < N;) {
        pthread_mutex_lock(&lock);
        if (count < SIZE) {
            places[(first + count) % SIZE] = i + 1;
            count++;
            i++;
        }
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *take(void *arg) {
    for (int i = 0; i < N;) {
        pthread_mutex_lock(&lock);
        if (count > 0) {
            assert(places[first] > 0 && places[first] <= N);
            first = (first + 1) % SIZE;
            count--;
            taken++;
            i++;
        }
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t[4];
    pthread_mutex_init(&lock, 0);
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i < 2 ? put : take, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(taken == 2 * N);
}
