/* x += y with both global: load y, load x, store x. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    y = 1;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x += y;
    pthread_join(t, 0);
    assert(x >= 0 && x <= 2);
    return 0;
}
