/* A struct is copied while its fields are being written. */
#include <assert.h>
#include <pthread.h>

struct S {
    int a, b, c, d;
} s;

static void *writer(void *arg) {
    s.a = 1;
    s.d = 1;
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
