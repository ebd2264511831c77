// A block that several threads use, and the last one to let go of it frees.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// How to let go, and the fence of the last one.
#ifndef DROP
#define DROP memory_order_release
#endif
#ifndef LAST
#define LAST memory_order_acquire
#endif
#ifndef THREADS
#define THREADS 2
#endif

struct block {
    atomic_int users;
    int value[THREADS];
};

static struct block *shared;

static void *work(void *own)
{
    struct block *block = shared;
    *(int *)own = 1;
    if (atomic_fetch_sub_explicit(&block->users, 1, DROP) == 1) {
        atomic_thread_fence(LAST);
        for (int i = 0; i < THREADS; i++)
            assert(block->value[i] == 1);
        free(block);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    shared = malloc(sizeof *shared);
    if (shared == NULL)
        return 0;
    atomic_init(&shared->users, THREADS);
    for (int i = 0; i < THREADS; i++)
        shared->value[i] = 0;
    int *values = shared->value;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, &values[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
