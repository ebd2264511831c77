/* Joining only a thread that has ended. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return &x;
}

int main(void) {
    pthread_t t;
    void *result = 0;
    pthread_create(&t, 0, worker, 0);
    int error = pthread_tryjoin_np(t, &result);
    assert(error == 0 || error == EBUSY);
    assert(error == 0 ? x == 1 && result == &x : result == 0);
    return 0;
}
