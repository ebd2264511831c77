#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_mutex_lock(&lock);
    return 0;
}

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    void *result;
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
