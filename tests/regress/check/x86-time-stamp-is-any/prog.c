#include <assert.h>
#include <pthread.h>
#include <stdint.h>

_Atomic uint32_t seen;

static void *worker(void *arg) {
    uint32_t low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    seen = low;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(seen != 12345);
    return 0;
}
