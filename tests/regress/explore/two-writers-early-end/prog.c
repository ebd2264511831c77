/* main reads and returns while two threads write. */
#include <assert.h>
#include <pthread.h>

int x;

static void *one(void *arg) {
    x = 1;
    return 0;
}

static void *two(void *arg) {
    x = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    assert(x != 2);
    return 0;
}
