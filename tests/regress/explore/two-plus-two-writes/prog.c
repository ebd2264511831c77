/* 2+2W: both first writes cannot survive. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    x = 1;
    y = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    y = 1;
    x = 2;
    pthread_join(t, 0);
    assert(!(x == 1 && y == 1));
    return 0;
}
