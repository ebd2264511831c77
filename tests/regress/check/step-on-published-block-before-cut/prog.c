/* A loop that is cut, after an access to a block that others know but do not use. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *p;

static void *worker(void *arg) {
    assert(!p);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < 2; i++) {
        int *block = malloc(sizeof *block);
        p = block;
        *block = 1;
    }
    return 0;
}
