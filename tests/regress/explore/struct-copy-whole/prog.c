/* A struct copied in and out as a whole. */
#include <assert.h>
#include <pthread.h>

struct S {
    int a, b, c, d;
} s;

static void *writer(void *arg) {
    struct S l;
    l.a = l.b = l.c = l.d = 1;
    s = l;
    return 0;
}

int main(void) {
    pthread_t t;
    struct S r;
    pthread_create(&t, 0, writer, 0);
    r = s;
    assert(r.a == r.d);
    pthread_join(t, 0);
    return 0;
}
