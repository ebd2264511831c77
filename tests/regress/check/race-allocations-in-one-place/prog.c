#include <pthread.h>
#include <stdlib.h>

void *block;

static void *worker(void *arg) {
    posix_memalign(&block, 16, 4);
    return 0;
}

int main(void) {
    pthread_t thread;
    free(malloc(1));
    pthread_create(&thread, 0, worker, 0);
    posix_memalign(&block, 16, 4);
    return 0;
}
