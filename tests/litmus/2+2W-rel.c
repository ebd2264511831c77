#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

static void *thread0(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_release);
    atomic_store_explicit(&y, 2, memory_order_release);
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&x, 2, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(x == 1 && y == 1));
    return 0;
}
