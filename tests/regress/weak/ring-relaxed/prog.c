#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 2
static int ring[SIZE];
static atomic_int head, tail;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        int at = atomic_load_explicit(&tail, memory_order_relaxed);
        if (at - atomic_load_explicit(&head, memory_order_acquire) < SIZE) {
            ring[at % SIZE] = i;
            atomic_store_explicit(&tail, at + 1, memory_order_relaxed);
        }
    }
    return arg;
}

static void *consumer(void *arg) {
    int last = 0;
    for (int i = 0; i < 2; i++) {
        int at = atomic_load_explicit(&head, memory_order_relaxed);
        if (at < atomic_load_explicit(&tail, memory_order_acquire)) {
            assert(ring[at % SIZE] > last);
            last = ring[at % SIZE];
            atomic_store_explicit(&head, at + 1, memory_order_release);
        }
    }
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, producer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
