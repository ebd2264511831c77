/* Nothing but the return comes after the creation. */
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg) {
    assert(*(int *)arg == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    int x = 1;
    pthread_create(&t, 0, worker, &x);
    return 0;
}
