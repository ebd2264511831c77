#include <assert.h>
#include <pthread.h>

int data;

static void *worker(void *arg) {
    data = 1;
    asm volatile("" ::: "memory");
    asm volatile("mfence" ::: "memory");
    asm volatile("rep; nop");
    asm volatile("pause");
    asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    int copy = data;
    asm volatile("" : "+r"(copy));
    assert(copy == 1);
    return 0;
}
