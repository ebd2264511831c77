// A ticket lock: take a number, wait until it is called.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef CALLED
#define CALLED memory_order_acquire
#endif
#ifndef CALL
#define CALL memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

static atomic_uint next, owner;
static int count;

static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&owner, CALLED) != mine)
        ;
}

static void unlock(void)
{
    // Only the owner writes it.
    unsigned mine = atomic_load_explicit(&owner, memory_order_relaxed);
    atomic_store_explicit(&owner, mine + 1, CALL);
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
