/* Store buffering: under sequential consistency one side sees the other. */
#include <assert.h>
#include <pthread.h>

int x, y, s;

static void *worker(void *arg) {
    y = 1;
    s = x;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    int r = y;
    pthread_join(t, 0);
    assert(r == 1 || s == 1);
    return 0;
}
