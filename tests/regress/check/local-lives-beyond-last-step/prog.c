/* A local does not end together with the last step before its function returns. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int *p, x;
atomic_int count;

static void *worker(void *arg) {
    int local = 0;
    p = &local;
    if (count++ > 0) {
        x++;
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int *q = p;
    if (count == 1 && x == 0) {
        *q = 0;
        assert(0);
    }
    return 0;
}
