#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void unlock(void *argument) { pthread_mutex_unlock(argument); }

static void note(void *digit) { order = 10 * order + (int)(long)digit; }

static void leave(void *result) {
    pthread_cleanup_push(note, (void *)2);
    pthread_exit(result);
    pthread_cleanup_pop(0);
}

static void *work(void *unused) {
    pthread_cleanup_push(note, (void *)5);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(note, (void *)6);
    pthread_cleanup_pop(0);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_cleanup_push(note, (void *)1);
    leave((void *)7);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    void *result;
    pthread_join(thread, &result);
    assert(result == (void *)7);
    assert(order == 521);
    return 0;
}
