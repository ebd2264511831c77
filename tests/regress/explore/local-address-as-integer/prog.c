/* Converting the address of a local to an integer publishes the local. */
#include <pthread.h>

int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int v = 0;
    pthread_create(&t, 0, worker, 0);
    v = 5;
    unsigned long u = (unsigned long)&v;
    v = 1;
    pthread_join(t, 0);
    return u == 0;
}
