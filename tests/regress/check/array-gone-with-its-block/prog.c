/* The array of a block is used when the block has ended. */
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

int main(void) {
    pthread_t t;
    int n = 2;
    pthread_create(&t, 0, worker, 0);
    {
        int a[n];
        a[1] = 1;
        p = a;
    }
    done = 1;
    return 0;
}
