#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    int *block = malloc(sizeof *block);
    *block = 1;
    free(block);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
