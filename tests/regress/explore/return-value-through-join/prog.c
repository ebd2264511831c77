/* The value a thread returns arrives at join. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    return (void *)(long)x;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    pthread_join(t, &r);
    assert((long)r == 1);
    return 0;
}
