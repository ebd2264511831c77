/* Two threads write a local of main before it returns. */
#include <pthread.h>

static void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    int x;
    pthread_create(&a, 0, worker, &x);
    pthread_create(&b, 0, worker, &x);
    return 0;
}
