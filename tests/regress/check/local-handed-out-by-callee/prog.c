/* The address of a local gets known in a function that is called with it. */
#include <assert.h>
#include <pthread.h>

int *p;

static void *worker(void *arg) {
    int *q = p;
    if (q) {
        assert(*q == 0);
    }
    return 0;
}

static void hand_out(int *mine) {
    p = mine;
}

static void lend(void) {
    int local = 1;
    hand_out(&local);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    lend();
    pthread_join(t, 0);
    return 0;
}
