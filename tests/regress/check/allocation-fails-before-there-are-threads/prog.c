#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t thread;
    block = malloc(sizeof *block);
    *block = 1;
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
