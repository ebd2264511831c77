#include <assert.h>
#include <pthread.h>

int counter;

static int fetch_add(int *place, int value) {
    asm volatile("lock; xaddl %0,%1" : "+r"(value), "+m"(*place) : : "memory");
    return value;
}

static void *worker(void *arg) {
    fetch_add(&counter, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    fetch_add(&counter, 1);
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}
