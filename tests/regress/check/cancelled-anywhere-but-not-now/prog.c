#include <assert.h>
#include <pthread.h>

static int begun, done;

static void *work(void *unused) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    begun = 1;
    done = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    begun = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(done == 1 && begun > 0);
    return 0;
}
