/* Two threads that spin for a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int shared, sum;

static void *work(void *arg) {
    int expected = 0, me = (int)(long)arg;
    do {
        while (atomic_load(&lock)) {
        }
        expected = 0;
    } while (!atomic_compare_exchange_strong(&lock, &expected, 1));
    shared = me;
    assert(shared == me);
    sum++;
    atomic_store(&lock, 0);
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(sum == 2);
}
