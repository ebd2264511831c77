#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0, r1, r2, r3;

static void *thread0(void *unused)
{
    (void)unused;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r0 = 7;
    r1 = atomic_compare_exchange_strong_explicit(&x, &r0, 9, memory_order_relaxed, memory_order_relaxed);
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r2 = 7;
    r3 = atomic_compare_exchange_strong_explicit(&y, &r2, 9, memory_order_relaxed, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r0 == 0 && r2 == 0));
    return 0;
}
