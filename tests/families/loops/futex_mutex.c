/* Two threads at a mutex that counts who waits and sleeps until a number changes. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock, waiters, signals;
int shared, sum;

static void sleep_while(int value) {
    int before = atomic_load(&signals);
    if (atomic_load(&lock) != value) return;
    while (atomic_load(&signals) == before) {
    }
}

static int try_lock(void) {
    int expected = 0;
    return atomic_compare_exchange_strong(&lock, &expected, 1);
}

static void take(void) {
    if (try_lock()) return;
    while (!try_lock()) {
        int expected = 1;
        atomic_fetch_add(&waiters, 1);
        if (!atomic_compare_exchange_strong(&lock, &expected, 2)) sleep_while(2);
        atomic_fetch_sub(&waiters, 1);
    }
}

static void give_back(void) {
    int old = atomic_exchange(&lock, 0);
    if (atomic_load(&waiters) > 0 || old != 1) atomic_fetch_add(&signals, 1);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    take();
    shared = me;
    assert(shared == me);
    sum++;
    give_back();
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(sum == 2);
}
