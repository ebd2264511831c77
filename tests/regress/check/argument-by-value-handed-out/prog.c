/* A struct that is passed by value ends with the function that got it. */
#include <assert.h>
#include <pthread.h>

struct large {
    int first;
    long rest[4];
};

int *p;

static void *worker(void *arg) {
    int *q = p;
    if (q) {
        assert(*q == 0);
    }
    return 0;
}

static void lend(struct large copy) {
    copy.first = 1;
    p = &copy.first;
}

int main(void) {
    pthread_t t;
    struct large mine = {0};
    pthread_create(&t, 0, worker, 0);
    lend(mine);
    pthread_join(t, 0);
    return 0;
}
