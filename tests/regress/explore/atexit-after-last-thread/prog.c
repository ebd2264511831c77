/* When the last thread ends, the process ends as if by exit(0). */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void at_end(void) {
    assert(0);
}

int main(void) {
    atexit(at_end);
    pthread_exit(0);
}
