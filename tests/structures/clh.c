// The lock of Craig, Landin and Hagersten: a queue in which everybody waits at the place of
// the one in front, and takes that over.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef JOIN
#define JOIN memory_order_acq_rel
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef TELL
#define TELL memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

struct node {
    atomic_int is_taken;
};

static struct node nodes[THREADS + 1];
static _Atomic(struct node *) tail = &nodes[THREADS];
static int count;

static struct node *lock(struct node *own)
{
    atomic_store_explicit(&own->is_taken, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, own, JOIN);
    while (atomic_load_explicit(&before->is_taken, WAIT))
        ;
    return before;
}

static void *work(void *node)
{
    struct node *own = node;
    for (int i = 0; i < TIMES; i++) {
        struct node *before = lock(own);
        count++;
        atomic_store_explicit(&own->is_taken, 0, TELL);
        own = before;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, &nodes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS * TIMES);
    return 0;
}
