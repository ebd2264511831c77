// A ring between one producer and one consumer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// What each side does with the index of the other and with its own.
#ifndef FREED
#define FREED memory_order_acquire
#endif
#ifndef FILL
#define FILL memory_order_release
#endif
#ifndef FILLED
#define FILLED memory_order_acquire
#endif
#ifndef FREE
#define FREE memory_order_release
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef TIMES
#define TIMES 2
#endif

static int ring[SIZE];
static atomic_uint filled, freed;

static void *produce(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        unsigned at = atomic_load_explicit(&filled, memory_order_relaxed);
        if (at - atomic_load_explicit(&freed, FREED) == SIZE)
            return unused;
        ring[at % SIZE] = i + 1;
        atomic_store_explicit(&filled, at + 1, FILL);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        unsigned at = atomic_load_explicit(&freed, memory_order_relaxed);
        if (atomic_load_explicit(&filled, FILLED) == at)
            return unused;
        assert(ring[at % SIZE] == i + 1);
        atomic_store_explicit(&freed, at + 1, FREE);
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    return 0;
}
