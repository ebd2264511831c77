/* Two bit-fields in one byte: each store rewrites the other. */
#include <assert.h>
#include <pthread.h>

struct {
    unsigned a : 4;
    unsigned b : 4;
} s;

static void *worker(void *arg) {
    s.b = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    s.a = 1;
    pthread_join(t, 0);
    assert(s.a == 1);
    assert(s.b == 2);
    return 0;
}
