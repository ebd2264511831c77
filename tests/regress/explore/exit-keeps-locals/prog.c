/* Nobody returns from main when it calls exit, so its variables live on. */
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    int x = 0;
    pthread_t t;
    pthread_create(&t, 0, worker, &x);
    exit(0);
}
