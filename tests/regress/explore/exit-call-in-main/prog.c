/* exit() in main ends the process like a return. */
#include <pthread.h>
#include <stdlib.h>

int x, y;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (x)
        exit(3);
    y = 1;
    return 0;
}
