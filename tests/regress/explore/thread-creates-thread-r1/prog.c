/* A thread creates and joins another one, in one round. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *inner(void *arg) {
    y = 1;
    return 0;
}

static void *outer(void *arg) {
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    x = 1;
    pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    pthread_join(t, 0);
    assert(x == 1 && y == 1);
    return 0;
}
