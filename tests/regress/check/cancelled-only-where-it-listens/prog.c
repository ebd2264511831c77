#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int shared;

static void *work(void *unused) {
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcancelstate(7, 0) == EINVAL);
    pthread_testcancel();
    sem_wait(&semaphore);
    shared = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    return (void *)2;
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    sem_post(&semaphore);
    pthread_cancel(thread);
    void *result;
    pthread_join(thread, &result);
    assert(shared == 1);
    assert(result == PTHREAD_CANCELED || result == (void *)2);
    return 0;
}
