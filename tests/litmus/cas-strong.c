#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int r0, r1;

static void *thread0(void *unused)
{
    (void)unused;
    r0 = 0;
    r1 = atomic_compare_exchange_strong(&x, &r0, 1);
    return 0;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_join(threads[0], 0);
    assert(!(r1 == 0 && r0 == 0));
    return 0;
}
