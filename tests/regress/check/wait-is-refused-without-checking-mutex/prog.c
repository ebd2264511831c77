#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_locked;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, worker, 0);
    int result = pthread_cond_wait(&condition, &mutex);
    assert(result == EPERM);
    pthread_join(thread, 0);
    return 0;
}
