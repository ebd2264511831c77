/* A static local variable is shared. */
#include <assert.h>
#include <pthread.h>

static int bump(void) {
    static int n;
    n++;
    return n;
}

static void *worker(void *arg) {
    bump();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    bump();
    pthread_join(t, 0);
    assert(bump() == 3);
    return 0;
}
