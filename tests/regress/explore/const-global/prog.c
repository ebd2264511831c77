/* Reading a constant table is not a step. */
#include <assert.h>
#include <pthread.h>

const int table[2] = {3, 4};
int x, y;

static void *worker(void *arg) {
    int i = 1;
    x = table[i];
    return 0;
}

int main(void) {
    pthread_t t;
    int i = 0;
    pthread_create(&t, 0, worker, 0);
    y = table[i];
    pthread_join(t, 0);
    assert(x == 4);
    return 0;
}
