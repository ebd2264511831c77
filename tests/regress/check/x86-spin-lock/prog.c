#include <assert.h>
#include <immintrin.h>
#include <pthread.h>

int lock, counter;

static void acquire(void) {
    int taken = 1;
    for (;;) {
        asm volatile("xchgl %0,%1" : "+r"(taken), "+m"(lock) : : "memory");
        if (!taken)
            return;
        _mm_pause();
    }
}

static void release(void) {
    asm volatile("movl $0,%0" : "=m"(lock) : : "memory");
}

static void *worker(void *arg) {
    acquire();
    counter++;
    release();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    acquire();
    counter++;
    release();
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}
