/* pthread_exit deep in a thread ends the thread with a value. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void finish(long v) {
    x = 1;
    pthread_exit((void *)v);
    x = 2;
}

static void *worker(void *arg) {
    finish(7);
    x = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, worker, 0);
    y = 1;
    pthread_join(t, &r);
    assert((long)r == 7);
    assert(x == 1);
    return 0;
}
