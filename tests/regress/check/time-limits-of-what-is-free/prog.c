#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static void *worker(void *arg) {
    struct timespec limit = {0, 0};
    assert(pthread_mutex_timedlock(&mutex, &limit) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &limit) == 0);
    assert(sem_timedwait(&semaphore, &limit) == 0);
    assert(sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
