#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef struct {
    uint64_t value, version;
} pair;

_Alignas(16) pair shared;

static unsigned char replace(pair *expected, uint64_t value) {
    unsigned char done;
    asm volatile("lock; cmpxchg16b %1; setz %0"
                 : "=q"(done), "+m"(shared), "+a"(expected->value), "+d"(expected->version)
                 : "b"(value), "c"(expected->version + 1)
                 : "memory", "cc");
    return done;
}

static void *worker(void *arg) {
    pair expected = {0, 0};
    replace(&expected, 5);
    return 0;
}

int main(void) {
    pthread_t thread;
    pair expected = {0, 0};
    pthread_create(&thread, 0, worker, 0);
    if (!replace(&expected, 7)) {
        assert(expected.value == 5 && expected.version == 1);
        unsigned char done = replace(&expected, 7);
        assert(done);
    }
    pthread_join(thread, 0);
    assert(shared.version == 1 && shared.value == 7 || shared.version == 2 && shared.value == 7);
    return 0;
}
