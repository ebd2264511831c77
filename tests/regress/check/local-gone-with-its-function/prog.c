/* A local is used when its function has returned. */
#include <assert.h>
#include <pthread.h>

int *p, done;

static void *worker(void *arg) {
    if (done) {
        int *q = p;
        *q = 0;
        assert(0);
    }
    return 0;
}

static void lend(void) {
    int local = 1;
    p = &local;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    lend();
    done = 1;
    pthread_join(t, 0);
    return 0;
}
