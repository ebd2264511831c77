/* A local variable that is gone once its function has looked for something to free. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *volatile lent;
static int *volatile given;
static int was_used;

static void *worker(void *arg) {
    int *block = malloc(sizeof(int));
    *block = 1;
    given = block;
    int *place = lent;
    if (place) {
        *place = *block;
        was_used = 1;
    }
    return 0;
}

static int lend(void) {
    int local = 0;
    lent = &local;
    int *block = given;
    free(block);
    return block != 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int was_given = lend();
    assert(was_given || !was_used);
}
