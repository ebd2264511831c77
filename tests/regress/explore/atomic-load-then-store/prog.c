/* An atomic variable, incremented in two atomic steps. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = x + 1;
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
