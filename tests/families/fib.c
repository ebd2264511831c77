/* Two threads that add to each other's number N times. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

atomic_int a = 1, b = 1;

static void *left(void *arg) {
    for (int i = 0; i < N; i++) {
        int theirs = atomic_load(&b), mine = atomic_load(&a);
        atomic_store(&a, mine + theirs);
    }
    return 0;
}

static void *right(void *arg) {
    for (int i = 0; i < N; i++) {
        int theirs = atomic_load(&a), mine = atomic_load(&b);
        atomic_store(&b, mine + theirs);
    }
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, left, 0);
    pthread_create(&u, 0, right, 0);
    int x = atomic_load(&a);
    assert(x < 1000000);
    int y = atomic_load(&b);
    assert(y < 1000000);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
