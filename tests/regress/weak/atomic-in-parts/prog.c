#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static union { atomic_int whole; char part; } x;
static int a;

static void *thread1(void *arg) {
    atomic_store_explicit(&x.whole, 1, memory_order_relaxed);
    return arg;
}

static void *thread2(void *arg) {
    a = x.part;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread1, 0);
    pthread_create(&threads[1], 0, thread2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a < 2);
}
