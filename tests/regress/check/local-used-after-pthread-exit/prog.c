/* The same, but it is the use after the end that counts. */
#include <pthread.h>

int *p;

static void *worker(void *arg) {
    int local = 1;
    p = &local;
    pthread_exit(0);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int *q = p;
    if (q) {
        *q = 2;
    }
    pthread_join(t, 0);
    return 0;
}
