/* A thread writes what the one created after it reads, in one round of two contexts. */
#include <assert.h>
#include <pthread.h>

_Atomic int x;

static void *writer(void *arg) {
    x = 1;
    return 0;
}

static void *reader(void *arg) {
    assert(x == 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
