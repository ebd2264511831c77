/* The process may end when the thread has stored, but not registered yet: the
   function that was there before sees the store, and nobody undoes it. */
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

static void *worker(void *arg) {
    x = 1;
    atexit(undo);
    return 0;
}

int main(void) {
    pthread_t t;
    atexit(check);
    pthread_create(&t, 0, worker, 0);
    return 0;
}
