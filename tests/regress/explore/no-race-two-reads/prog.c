/* Two reads do not race; the write comes after the join. */
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg) {
    int r = x;
    assert(r == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int r = x;
    pthread_join(t, 0);
    x = r + 1;
    return 0;
}
