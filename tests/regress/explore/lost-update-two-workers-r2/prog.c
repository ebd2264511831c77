/* Two threads increment a plain counter, in two rounds. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
