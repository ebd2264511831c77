/* A thread leaves in the middle of a function whose local others know. */
#include <assert.h>
#include <pthread.h>

int *p;

static void leave(int *outer) {
    int local = *outer;
    p = &local;
    pthread_exit(0);
}

static void *worker(void *arg) {
    int outer = 1;
    leave(&outer);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int *q = p;
    if (q) {
        assert(*q == 0);
    }
    pthread_join(t, 0);
    return 0;
}
