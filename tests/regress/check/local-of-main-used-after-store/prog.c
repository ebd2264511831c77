/* A pointer to a local of main, which may have returned. */
#include <assert.h>
#include <pthread.h>

int *p;

static void *worker(void *arg) {
    int *q = p;
    *q = 0;
    assert(0);
    return 0;
}

int main(void) {
    int local = 0;
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    p = &local;
    return 0;
}
