/* Before one thread aborts the process, the other may still get to its error. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

static void *worker(void *arg) {
    x = 1;
    abort();
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x == 0);
    return 0;
}
