/* N threads that take a ticket lock once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

atomic_int next, serving;
int inside;

static void *enter(void *arg) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) {
    }
    inside++;
    assert(inside == 1);
    inside--;
    atomic_fetch_add(&serving, 1);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, enter, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    assert(serving == N);
}
