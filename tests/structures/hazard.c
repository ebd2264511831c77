// Hazard pointers: whoever uses a block says so first, and then looks whether it is still
// the current one; whoever replaces it frees it only if nobody said so.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// How the block is shown and found, the fences between saying and looking on either side,
// how the use ends, and how that is seen.
#ifndef SHOW
#define SHOW memory_order_release
#endif
#ifndef FIND
#define FIND memory_order_acquire
#endif
#ifndef SAY
#define SAY memory_order_seq_cst
#endif
#ifndef LOOK
#define LOOK memory_order_seq_cst
#endif
#ifndef END
#define END memory_order_release
#endif
#ifndef SEE
#define SEE memory_order_acquire
#endif
#ifndef READERS
#define READERS 1
#endif

static _Atomic(int *) current;
static _Atomic(int *) in_use[READERS];

static void *reader(void *arg)
{
    _Atomic(int *) *own = arg;
    int *block = atomic_load_explicit(&current, memory_order_relaxed);
    atomic_store_explicit(own, block, memory_order_relaxed);
    atomic_thread_fence(SAY);
    if (atomic_load_explicit(&current, FIND) == block)
        assert(*block == 1 || *block == 2);
    atomic_store_explicit(own, NULL, END);
    return NULL;
}

static void *writer(void *unused)
{
    int *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        return unused;
    *fresh = 2;
    int *old = atomic_exchange_explicit(&current, fresh, SHOW);
    atomic_thread_fence(LOOK);
    for (int i = 0; i < READERS; i++)
        if (atomic_load_explicit(&in_use[i], SEE) == old)
            return unused;
    free(old);
    return unused;
}

int main(void)
{
    pthread_t readers[READERS], other;
    int *first = malloc(sizeof *first);
    if (first == NULL)
        return 0;
    *first = 1;
    atomic_init(&current, first);
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], 0, reader, &in_use[i]);
    pthread_create(&other, 0, writer, 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], 0);
    pthread_join(other, 0);
    return 0;
}
