#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct timespec limit = {0, 0};
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&mutex);
    int result = 0;
    if (!is_ready)
        result = pthread_cond_timedwait(&condition, &mutex, &limit);
    assert(is_ready || result == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return 0;
}
