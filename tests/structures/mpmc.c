// A bounded queue for any number of producers and consumers, in which every slot has a
// number that says whose turn it is (as in Vyukov's queue).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// What each side does with the number of a slot.
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
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef TIMES
#define TIMES 1
#endif
#define SIZE 1

struct slot {
    atomic_uint turn;
    int value;
};

static struct slot slots[SIZE];
static atomic_uint next_in, next_out;
static atomic_int sum;

static int put(int value)
{
    unsigned at = atomic_load_explicit(&next_in, memory_order_relaxed);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        unsigned turn = atomic_load_explicit(&slot->turn, FREED);
        if (turn == 2 * (at / SIZE)) {
            if (atomic_compare_exchange_strong_explicit(&next_in, &at, at + 1,
                                                        memory_order_relaxed,
                                                        memory_order_relaxed)) {
                slot->value = value;
                atomic_store_explicit(&slot->turn, turn + 1, FILL);
                return 1;
            }
        } else if (turn < 2 * (at / SIZE)) {
            return 0;
        } else {
            at = atomic_load_explicit(&next_in, memory_order_relaxed);
        }
    }
}

static int get(void)
{
    unsigned at = atomic_load_explicit(&next_out, memory_order_relaxed);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        unsigned turn = atomic_load_explicit(&slot->turn, FILLED);
        if (turn == 2 * (at / SIZE) + 1) {
            if (atomic_compare_exchange_strong_explicit(&next_out, &at, at + 1,
                                                        memory_order_relaxed,
                                                        memory_order_relaxed)) {
                int value = slot->value;
                atomic_store_explicit(&slot->turn, turn + 1, FREE);
                return value;
            }
        } else if (turn < 2 * (at / SIZE) + 1) {
            return 0;
        } else {
            at = atomic_load_explicit(&next_out, memory_order_relaxed);
        }
    }
}

static void *produce(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        put(1);
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        atomic_fetch_add_explicit(&sum, get(), memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], 0, produce, 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], 0, consume, 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
    assert(atomic_load(&sum) <= PRODUCERS * TIMES);
    return 0;
}
