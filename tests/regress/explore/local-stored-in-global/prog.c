/* Storing the address of a local in a global publishes the local. */
#include <pthread.h>

int x;
int *g;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int v = 0;
    pthread_create(&t, 0, worker, 0);
    v = 5;
    g = &v;
    v = 1;
    pthread_join(t, 0);
    return 0;
}
