#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *thread0(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_join(threads[0], 0);
    assert(!(x == 1));
    return 0;
}
