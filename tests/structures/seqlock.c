// A sequence lock: readers look at two words and try again if somebody wrote meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// Before the words are written and after, before they are read and after.
#ifndef OPEN
#define OPEN memory_order_release
#endif
#ifndef CLOSE
#define CLOSE memory_order_release
#endif
#ifndef BEGIN
#define BEGIN memory_order_acquire
#endif
#ifndef END
#define END memory_order_acquire
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef TIMES
#define TIMES 1
#endif

static atomic_uint sequence;
static atomic_int one, two;

static void *write(void *unused)
{
    for (int i = 1; i <= TIMES; i++) {
        unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
        atomic_thread_fence(OPEN);
        atomic_store_explicit(&one, i, memory_order_relaxed);
        atomic_store_explicit(&two, i, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 2, CLOSE);
    }
    return unused;
}

static void *read(void *unused)
{
    unsigned before = atomic_load_explicit(&sequence, BEGIN);
    int first = atomic_load_explicit(&one, memory_order_relaxed);
    int second = atomic_load_explicit(&two, memory_order_relaxed);
    atomic_thread_fence(END);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(first == second);
    return unused;
}

int main(void)
{
    pthread_t writer, readers[READERS];
    pthread_create(&writer, 0, write, 0);
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], 0, read, 0);
    pthread_join(writer, 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], 0);
    return 0;
}
