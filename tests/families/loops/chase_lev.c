/* A deque whose owner pushes and pops at one end, while another thread steals. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4

atomic_int bottom, top, places[SIZE], sum;

static void push(int value) {
    int b = atomic_load(&bottom);
    atomic_store(&places[b % SIZE], value);
    atomic_store(&bottom, b + 1);
}

static int pop(void) {
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return 0;
    }
    int value = atomic_load(&places[b % SIZE]);
    if (t < b) return value;
    if (!atomic_compare_exchange_strong(&top, &t, t + 1)) value = 0;
    atomic_store(&bottom, b + 1);
    return value;
}

static int steal(void) {
    for (;;) {
        int t = atomic_load(&top), b = atomic_load(&bottom);
        if (t >= b) return 0;
        int value = atomic_load(&places[t % SIZE]);
        if (atomic_compare_exchange_strong(&top, &t, t + 1)) return value;
    }
}

static void *thief(void *arg) {
    for (int i = 0; i < 2; i++) atomic_fetch_add(&sum, steal());
    return 0;
}

int main(void) {
    pthread_t t;
    push(1);
    push(2);
    pthread_create(&t, 0, thief, 0);
    atomic_fetch_add(&sum, pop());
    push(4);
    atomic_fetch_add(&sum, pop());
    pthread_join(t, 0);
    for (int i = 0; i < 3; i++) atomic_fetch_add(&sum, pop());
    assert(sum == 7);
}
