#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;

static void *worker(void *arg) {
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_settype(&attributes, 42) == EINVAL);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
