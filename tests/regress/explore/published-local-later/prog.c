/* Accesses to a local before it is published are not steps. */
#include <assert.h>
#include <pthread.h>

int x;

static void *one(void *arg) {
    x = 1;
    return 0;
}

static void *two(void *arg) {
    *(int *)arg = 7;
    return 0;
}

int main(void) {
    pthread_t a, b;
    int v = 0;
    pthread_create(&a, 0, one, 0);
    v++;
    v++;
    pthread_create(&b, 0, two, &v);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(v == 7);
    return 0;
}
