/* Load buffering: both loads cannot see the later stores. */
#include <assert.h>
#include <pthread.h>

int x, y, s;

static void *worker(void *arg) {
    int r = x;
    y = 1;
    s = r;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int r = y;
    x = 1;
    pthread_join(t, 0);
    assert(!(r == 1 && s == 1));
    return 0;
}
