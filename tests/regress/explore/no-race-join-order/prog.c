/* The second thread is created after the first was joined. */
#include <assert.h>
#include <pthread.h>

int x;

static void *one(void *arg) {
    x = 1;
    return 0;
}

static void *two(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
