// Mutexes of all types: the results of calls that POSIX or glibc define.
// also: -m32
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct timespec past;

static void *other(void *arg) {
    printf(" other: unlock %d", pthread_mutex_unlock(arg));
    printf(" trylock %d", pthread_mutex_trylock(arg));
    printf(" timedlock %d\n", pthread_mutex_timedlock(arg, &past));
    return 0;
}

static void *tries(void *arg) {
    printf(" other: trylock %d", pthread_mutex_trylock(arg));
    printf(" timedlock %d\n", pthread_mutex_timedlock(arg, &past));
    return 0;
}

static void ask(pthread_mutex_t *mutex, void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, 0, function, mutex);
    pthread_join(thread, 0);
}

static void normal(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    printf("normal: lock %d", pthread_mutex_lock(&mutex));
    printf(" trylock %d", pthread_mutex_trylock(&mutex));
    printf(" timedlock %d", pthread_mutex_timedlock(&mutex, &past));
    ask(&mutex, tries);
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" timedlock %d", pthread_mutex_timedlock(&mutex, &past));
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" destroy %d\n", pthread_mutex_destroy(&mutex));
}

static void checking(void) {
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    printf("checking: init %d", pthread_mutex_init(&mutex, &attributes));
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" lock %d", pthread_mutex_lock(&mutex));
    printf(" lock %d", pthread_mutex_lock(&mutex));
    printf(" trylock %d", pthread_mutex_trylock(&mutex));
    printf(" timedlock %d", pthread_mutex_timedlock(&mutex, &past));
    ask(&mutex, other);
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" destroy %d\n", pthread_mutex_destroy(&mutex));
}

static void recursive(void) {
    pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    printf("recursive: unlock %d", pthread_mutex_unlock(&mutex));
    printf(" lock %d", pthread_mutex_lock(&mutex));
    printf(" lock %d", pthread_mutex_lock(&mutex));
    printf(" trylock %d", pthread_mutex_trylock(&mutex));
    printf(" timedlock %d", pthread_mutex_timedlock(&mutex, &past));
    for (int i = 0; i < 3; i++)
        printf(" unlock %d", pthread_mutex_unlock(&mutex));
    ask(&mutex, other);
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" unlock %d", pthread_mutex_unlock(&mutex));
    printf(" destroy %d\n", pthread_mutex_destroy(&mutex));
}

static void attribute(void) {
    pthread_mutexattr_t attributes;
    int value = -1;
    printf("attributes: init %d", pthread_mutexattr_init(&attributes));
    printf(" gettype %d", pthread_mutexattr_gettype(&attributes, &value));
    printf(" %d", value);
    printf(" settype %d", pthread_mutexattr_settype(&attributes, 42));
    printf(" settype %d", pthread_mutexattr_settype(&attributes, -1));
    printf(" settype %d", pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
    printf(" gettype %d", pthread_mutexattr_gettype(&attributes, &value));
    printf(" %d\n", value);
    printf(" setpshared %d", pthread_mutexattr_setpshared(&attributes, 9));
    printf(" setpshared %d", pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    printf(" getpshared %d", pthread_mutexattr_getpshared(&attributes, &value));
    printf(" %d\n", value);
    printf(" setprotocol %d", pthread_mutexattr_setprotocol(&attributes, 9));
    printf(" setprotocol %d", pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    printf(" getprotocol %d", pthread_mutexattr_getprotocol(&attributes, &value));
    printf(" %d\n", value);
    printf(" getprioceiling %d", pthread_mutexattr_getprioceiling(&attributes, &value));
    printf(" %d", value);
    printf(" setprioceiling %d", pthread_mutexattr_setprioceiling(&attributes, 1000));
    printf(" setprioceiling %d", pthread_mutexattr_setprioceiling(&attributes, 5));
    printf(" getprioceiling %d", pthread_mutexattr_getprioceiling(&attributes, &value));
    printf(" %d\n", value);
    pthread_mutexattr_gettype(&attributes, &value);
    printf(" type %d destroy %d\n", value, pthread_mutexattr_destroy(&attributes));
}

int main(void) {
    normal();
    checking();
    recursive();
    attribute();
    return 0;
}
