/* Writes of neighbouring bytes do not race. */
#include <assert.h>
#include <pthread.h>

char c[2];

static void *worker(void *arg) {
    c[1] = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    c[0] = 1;
    pthread_join(t, 0);
    assert(c[0] == 1 && c[1] == 1);
    return 0;
}
