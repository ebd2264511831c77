#include <pthread.h>
#include <stdlib.h>

int *block;

static void *worker(void *arg) {
    int *mine = realloc(block, 2 * sizeof *mine);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block);
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, worker, 0);
    return 0;
}
