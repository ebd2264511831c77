#include <assert.h>
#include <pthread.h>

int x, y;
int r0, r1;

static void *thread0(void *unused)
{
    (void)unused;
    x = 1;
    y = 1;
    return 0;
}

static void *thread1(void *unused)
{
    (void)unused;
    r0 = y;
    r1 = x;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, 0);
    pthread_create(&threads[1], 0, thread1, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r0 == 1 && r1 == 0));
    return 0;
}
