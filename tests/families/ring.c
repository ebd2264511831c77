/* One thread puts N numbers into a ring of four places, another takes them. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif

#define SIZE 4

atomic_int places[SIZE], head, tail;

static void *put(void *arg) {
    for (int i = 0; i < N; i++) {
        while (i - atomic_load(&tail) == SIZE) {
        }
        atomic_store(&places[i % SIZE], i);
        atomic_store(&head, i + 1);
    }
    return 0;
}

static void *take(void *arg) {
    for (int i = 0; i < N; i++) {
        while (atomic_load(&head) == i) {
        }
        assert(atomic_load(&places[i % SIZE]) == i);
        atomic_store(&tail, i + 1);
    }
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, put, 0);
    pthread_create(&u, 0, take, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
