#include <assert.h>
#include <pthread.h>

_Atomic int x;

static void *worker(void *arg) {
    static void *labels[] = {&&even, &&odd};
    goto *labels[x & 1];
even:
    x = 1;
    return 0;
odd:
    x = 4;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    x = 3;
    pthread_join(thread, 0);
    assert(x != 1);
    return 0;
}
