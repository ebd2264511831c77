// The lock of Mellor-Crummey and Scott: a queue in which everybody waits at a place of
// their own, and is told by the one in front.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

// How to join the queue, to wait in it, and to leave it.
#ifndef JOIN
#define JOIN memory_order_acq_rel
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef TELL
#define TELL memory_order_release
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) tail;
static int count;

static void lock(struct node *own)
{
    atomic_store_explicit(&own->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&own->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, own, JOIN);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, own, memory_order_release);
    while (atomic_load_explicit(&own->waits, WAIT))
        ;
}

static void unlock(struct node *own)
{
    struct node *after = atomic_load_explicit(&own->next, memory_order_acquire);
    if (after == NULL) {
        struct node *last = own;
        if (atomic_compare_exchange_strong_explicit(&tail, &last, NULL, LEAVE,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&own->next, memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&after->waits, 0, TELL);
}

static void *work(void *node)
{
    for (int i = 0; i < TIMES; i++) {
        lock(node);
        count++;
        unlock(node);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    static struct node nodes[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, &nodes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS * TIMES);
    return 0;
}
