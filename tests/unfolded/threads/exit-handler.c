// unfold:
// A function that runs when the process ends.
#include <pthread.h>
#include <stdlib.h>
int x;

static void handler(void) { x = 2; }

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    atexit(handler);
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 3;
    return 0;
}
