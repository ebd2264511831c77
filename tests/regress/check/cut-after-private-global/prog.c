/* A loop that is cut, after accesses to a global that nobody else uses. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    assert(x == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    for (int i = 0; i < 2; i++)
        y++;
    return 0;
}
