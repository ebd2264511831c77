/* A thread that begins with an allocation, in a program that frees memory. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    int *block = malloc(sizeof(int));
    free(block);
    assert(0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
