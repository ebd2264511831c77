/* Main registers a function while a thread may end the process. */
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
    exit(0);
}

int main(void) {
    pthread_t t;
    atexit(check);
    pthread_create(&t, 0, leave, 0);
    x = 1;
    atexit(undo);
    return 0;
}
