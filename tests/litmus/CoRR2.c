#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int r0, r1, r2, r3;

static void *thread0(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    r3 = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_create(&threads[2], 0, thread2, 0);
    pthread_create(&threads[3], 0, thread3, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    pthread_join(threads[3], 0);
    assert(!(r0 == 1 && r1 == 2 && r2 == 2 && r3 == 1));
    return 0;
}
