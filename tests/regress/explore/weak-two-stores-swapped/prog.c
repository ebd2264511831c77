/* Writes to different places become known in any order under pso. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (y == 1)
        assert(x == 1);
    return 0;
}
