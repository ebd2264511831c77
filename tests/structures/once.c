// Double-checked locking: whoever finds the object made needs no lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef LOOK
#define LOOK memory_order_acquire
#endif
#ifndef SHOW
#define SHOW memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int object;
static _Atomic(int *) made;

static int *get(void)
{
    int *found = atomic_load_explicit(&made, LOOK);
    if (found == NULL) {
        pthread_mutex_lock(&mutex);
        found = atomic_load_explicit(&made, memory_order_relaxed);
        if (found == NULL) {
            object++;
            found = &object;
            atomic_store_explicit(&made, found, SHOW);
        }
        pthread_mutex_unlock(&mutex);
    }
    return found;
}

static void *work(void *unused)
{
    assert(*get() == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
