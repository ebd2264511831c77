#include <pthread.h>
#include <stdlib.h>

int x;
const int limit = 3;
int *p = &x;

static void *worker(void *arg) {
    p = (int *)&limit;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    *p = 1;
    pthread_join(thread, 0);
    return 0;
}
