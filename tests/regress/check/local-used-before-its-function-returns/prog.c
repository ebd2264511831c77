/* A function returns right after the creation, and main goes on. */
#include <assert.h>
#include <pthread.h>

pthread_t t;

static void *worker(void *arg) {
    assert(*(int *)arg == 0);
    return 0;
}

static void start(void) {
    int x = 1;
    pthread_create(&t, 0, worker, &x);
}

int main(void) {
    start();
    pthread_join(t, 0);
    return 0;
}
