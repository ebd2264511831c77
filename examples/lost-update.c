// Two threads count the same visitor book.
//
// `visitors++` looks like one step but is two: read the old value, write the
// new one. When both threads read before either writes, one visit is lost and
// the assertion fails. A mutex around the increment, or an atomic counter,
// repairs it.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int visitors = 0;

static void *gate(void *unused) {
    (void)unused;
    visitors++;
    return NULL;
}

int main(void) {
    pthread_t north, south;
    pthread_create(&north, NULL, gate, NULL);
    pthread_create(&south, NULL, gate, NULL);
    pthread_join(north, NULL);
    pthread_join(south, NULL);

    assert(visitors == 2);
    return 0;
}
