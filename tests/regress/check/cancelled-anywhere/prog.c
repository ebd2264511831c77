#include <assert.h>
#include <pthread.h>

static int begun, done;

static void *work(void *unused) {
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    assert(before == PTHREAD_CANCEL_DEFERRED);
    begun = 1;
    done = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(begun == done);
    return 0;
}
