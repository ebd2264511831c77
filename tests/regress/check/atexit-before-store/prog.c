/* What is registered before the store undoes it, whoever ends the process. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

static void check(void) {
    assert(x != 1);
}

static void undo(void) {
    x = 0;
}

static void *leave(void *arg) {
    if (x == 1)
        exit(0);
    return 0;
}

int main(void) {
    pthread_t t;
    atexit(check);
    pthread_create(&t, 0, leave, 0);
    atexit(undo);
    x = 1;
    pthread_join(t, 0);
    return 0;
}
