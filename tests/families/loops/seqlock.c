/* A writer, and a reader who tries again if somebody was writing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, data;

static void put(int value) {
    int old;
    do {
        old = atomic_load(&sequence);
    } while (old % 2 == 1 || !atomic_compare_exchange_strong(&sequence, &old, old + 1));
    atomic_store(&data, value);
    atomic_fetch_add(&sequence, 1);
}

static int get(void) {
    for (;;) {
        int old = atomic_load(&sequence);
        if (old % 2 == 1) continue;
        int value = atomic_load(&data);
        if (atomic_load(&sequence) == old) return value;
    }
}

static void *write_it(void *arg) {
    put(1);
    put(2);
    return 0;
}

static void *read_it(void *arg) {
    int first = get();
    int second = get();
    assert(second >= first);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, write_it, 0);
    pthread_create(&u, 0, read_it, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
