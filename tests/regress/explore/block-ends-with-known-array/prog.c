/* The end of a block is a step if others know its array. */
#include <pthread.h>

int x;
int *g;

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
        g = a;
    }
    pthread_join(t, 0);
    return 0;
}
