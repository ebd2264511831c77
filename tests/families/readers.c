/* One writer and N readers. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

atomic_int x;

static void *read_it(void *arg) {
    int value = atomic_load(&x);
    assert(value == 0 || value == 1);
    return 0;
}

static void *write_it(void *arg) {
    atomic_store(&x, 1);
    return 0;
}

int main(void) {
    pthread_t t[N], writer;
    pthread_create(&writer, 0, write_it, 0);
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, read_it, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    pthread_join(writer, 0);
}
