/* A loop of three rounds with headers entered at most twice. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    for (int i = 0; i < 3; i++)
        x++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    y = 1;
    pthread_join(t, 0);
    assert(x == 3);
    return 0;
}
