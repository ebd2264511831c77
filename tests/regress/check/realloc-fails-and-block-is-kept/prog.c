#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    char *block = malloc(2);
    if (!block)
        return arg;
    block[1] = 7;
    char *more = realloc(block, 4);
    if (!more) {
        assert(block[1] == 7);
        free(block);
        return arg;
    }
    assert(more[1] == 7);
    more[3] = 1;
    free(more);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
