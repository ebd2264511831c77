#include <assert.h>
#include <pthread.h>

int data, flag;

static void *worker(void *arg) {
    data = 1;
    asm volatile("movl $1,%0" : "=m"(flag) : : "memory");
    return 0;
}

int main(void) {
    pthread_t thread;
    int seen;
    pthread_create(&thread, 0, worker, 0);
    asm volatile("movl %1,%0" : "=r"(seen) : "m"(flag) : "memory");
    if (seen)
        assert(data == 1);
    pthread_join(thread, 0);
    return 0;
}
