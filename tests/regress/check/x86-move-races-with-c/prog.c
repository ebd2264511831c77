#include <pthread.h>

int flag;

static void *worker(void *arg) {
    asm volatile("movl $1,%0" : "=m"(flag) : : "memory");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int seen = flag;
    pthread_join(thread, 0);
    return seen;
}
