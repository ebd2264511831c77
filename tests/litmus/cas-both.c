#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int r0, r1, r2, r3;

static void *thread0(void *unused)
{
    (void)unused;
    r0 = 0;
    r1 = atomic_compare_exchange_strong_explicit(&x, &r0, 1, memory_order_relaxed, memory_order_relaxed);
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    r2 = 0;
    r3 = atomic_compare_exchange_strong_explicit(&x, &r2, 2, memory_order_relaxed, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r1 == 1 && r3 == 1));
    return 0;
}
