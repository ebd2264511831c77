// A lock that looks before it tries: test, and test-and-set.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TAKE
#define TAKE memory_order_acquire
#endif
#ifndef GIVE
#define GIVE memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

static atomic_int taken;
static int count;

static void lock(void)
{
    do {
        while (atomic_load_explicit(&taken, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&taken, 1, TAKE));
}

static void unlock(void)
{
    atomic_store_explicit(&taken, 0, GIVE);
}

static void *work(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        lock();
        count++;
        unlock();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS * TIMES);
    return 0;
}
