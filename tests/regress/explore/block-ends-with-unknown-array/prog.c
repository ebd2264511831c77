/* The end of a block is no step if nobody knows its array. */
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int n = 2;
    pthread_create(&t, 0, worker, 0);
    {
        int a[n];
        a[0] = 1;
    }
    pthread_join(t, 0);
    return 0;
}
