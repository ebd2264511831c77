/* Independent reads of independent writes, at most 5 contexts. */
#include <assert.h>
#include <pthread.h>

int x, y, p;

static void *writer1(void *arg) {
    x = 1;
    return 0;
}

static void *writer2(void *arg) {
    y = 1;
    return 0;
}

static void *reader(void *arg) {
    int a = x;
    int b = y;
    p = a == 1 && b == 0;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, writer1, 0);
    pthread_create(&b, 0, writer2, 0);
    pthread_create(&c, 0, reader, 0);
    int r = y;
    int s = x;
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(!(r == 1 && s == 0 && p == 1));
    return 0;
}
