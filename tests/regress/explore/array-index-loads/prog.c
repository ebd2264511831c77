/* a[i] with global i and a is two loads. */
#include <assert.h>
#include <pthread.h>

int a[2] = {10, 20};
int i;

static void *worker(void *arg) {
    i = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int r = a[i];
    pthread_join(t, 0);
    assert(r == 10);
    return 0;
}
