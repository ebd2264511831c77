/* Something else comes between the creation and the return. */
#include <assert.h>
#include <pthread.h>

int g;

static void *worker(void *arg) {
    assert(*(int *)arg == 0);
    return g ? arg : 0;
}

int main(void) {
    pthread_t t;
    int x = 1;
    pthread_create(&t, 0, worker, &x);
    g = 1;
    return 0;
}
