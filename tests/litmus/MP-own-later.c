#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0, r1;

static void *thread0(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&y, 2, memory_order_relaxed);
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    r0 = atomic_load_explicit(&y, memory_order_acquire);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r0 == 2 && r1 == 0));
    return 0;
}
