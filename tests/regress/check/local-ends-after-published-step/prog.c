/* A local is still there while its owner has a step to take that concerns nobody. */
#include <assert.h>
#include <pthread.h>

int *p, *q;

static void *worker(void *arg) {
    int *seen = p;
    if (seen) {
        int value = *seen;
        assert(value == 1);
    }
    return 0;
}

static void lend(int *mine) {
    int local = 0;
    p = &local;
    *mine = 1;
}

int main(void) {
    pthread_t t;
    int mine;
    q = &mine;
    pthread_create(&t, 0, worker, 0);
    lend(&mine);
    return 0;
}
