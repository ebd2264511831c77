/* A thread that loops for ever does not keep the others from their errors. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    while (1)
        ;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
