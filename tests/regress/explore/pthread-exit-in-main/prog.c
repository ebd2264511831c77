/* pthread_exit in main lets the other thread finish. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
