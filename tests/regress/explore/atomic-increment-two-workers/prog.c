/* x++ on an atomic is one step. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(x == 2);
    return 0;
}
