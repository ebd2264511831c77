#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *mine;
int *theirs;

static void *worker(void *arg) {
    theirs = malloc(sizeof *theirs);
    if (mine)
        assert(mine != theirs);
    return 0;
}

int main(void) {
    pthread_t thread;
    free(malloc(sizeof *mine));
    pthread_create(&thread, 0, worker, 0);
    mine = malloc(sizeof *mine);
    pthread_join(thread, 0);
    assert(mine != theirs);
    free(mine);
    free(theirs);
}
