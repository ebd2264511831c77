/* The array of a block may be used too late. */
#include <assert.h>
#include <pthread.h>

int *p, done;

static void *worker(void *arg) {
    int *q = p;
    if (q) {
        *q = 0;
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
