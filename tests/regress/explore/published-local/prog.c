/* A local variable passed to the thread is shared from then on. */
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg) {
    int *p = arg;
    (*p)++;
    return 0;
}

int main(void) {
    pthread_t t;
    int v = 0;
    pthread_create(&t, 0, worker, &v);
    v++;
    pthread_join(t, 0);
    assert(v == 2);
    return 0;
}
