// Read, copy, update: readers say that they are reading, and a writer waits until all who
// may have the old version have said that they are done.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// How a version is shown and found; the fences behind entering and in front of waiting;
// how readers leave, and how that is seen.
#ifndef SHOW
#define SHOW memory_order_release
#endif
#ifndef FIND
#define FIND memory_order_acquire
#endif
#ifndef ENTER
#define ENTER memory_order_seq_cst
#endif
#ifndef WAIT
#define WAIT memory_order_seq_cst
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif
#ifndef LEFT
#define LEFT memory_order_acquire
#endif
#ifndef READERS
#define READERS 1
#endif

struct version {
    int one, two;
};

static _Atomic(struct version *) current;
static atomic_int reads[READERS];

static void *reader(void *arg)
{
    atomic_int *own = arg;
    atomic_store_explicit(own, 1, memory_order_relaxed);
    atomic_thread_fence(ENTER);
    struct version *version = atomic_load_explicit(&current, FIND);
    assert(version->one == version->two);
    atomic_store_explicit(own, 0, LEAVE);
    return NULL;
}

static void *writer(void *unused)
{
    struct version *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        return unused;
    fresh->one = 2;
    fresh->two = 2;
    struct version *old = atomic_exchange_explicit(&current, fresh, SHOW);
    atomic_thread_fence(WAIT);
    for (int i = 0; i < READERS; i++)
        while (atomic_load_explicit(&reads[i], LEFT))
            ;
    free(old);
    return unused;
}

int main(void)
{
    pthread_t readers[READERS], other;
    struct version *first = malloc(sizeof *first);
    if (first == NULL)
        return 0;
    first->one = 1;
    first->two = 1;
    atomic_init(&current, first);
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], 0, reader, &reads[i]);
    pthread_create(&other, 0, writer, 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], 0);
    pthread_join(other, 0);
    return 0;
}
