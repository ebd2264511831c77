/* The end of a local is no access. */
#include <pthread.h>

static void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int x;
    pthread_create(&t, 0, worker, &x);
    return 0;
}
