/* The thread ends where it asks whether it should. */
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    pthread_testcancel();
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
