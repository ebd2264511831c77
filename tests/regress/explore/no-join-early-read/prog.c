/* main reads while the thread may have written; no join. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x == 0);
    return 0;
}
