// Condition variables: the results of calls that POSIX or glibc define.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static int is_ready;

static void *sets(void *arg) {
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    struct timespec past = {0, 0};
    pthread_condattr_t attributes;
    int value = -1;
    clockid_t clock = -1;
    printf("init %d", pthread_condattr_init(&attributes));
    printf(" setclock %d", pthread_condattr_setclock(&attributes, 77));
    printf(" setclock %d", pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID));
    printf(" setclock %d", pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    printf(" getclock %d", pthread_condattr_getclock(&attributes, &clock));
    printf(" %d", clock == CLOCK_MONOTONIC);
    printf(" setpshared %d", pthread_condattr_setpshared(&attributes, 7));
    printf(" getpshared %d", pthread_condattr_getpshared(&attributes, &value));
    printf(" %d\n", value);
    printf("init %d", pthread_cond_init(&condition, &attributes));
    printf(" signal %d", pthread_cond_signal(&condition));
    printf(" broadcast %d", pthread_cond_broadcast(&condition));
    pthread_mutex_lock(&mutex);
    printf(" timedwait %d", pthread_cond_timedwait(&condition, &mutex, &past));
    printf(" held %d", pthread_mutex_trylock(&mutex));
    printf(" unlock %d\n", pthread_mutex_unlock(&mutex));

    pthread_mutexattr_t type;
    pthread_mutex_t checking;
    pthread_mutexattr_init(&type);
    pthread_mutexattr_settype(&type, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &type);
    printf("not held: wait %d", pthread_cond_wait(&condition, &checking));
    printf(" timedwait %d\n", pthread_cond_timedwait(&condition, &checking, &past));

    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    pthread_mutex_lock(&mutex);
    while (!is_ready)
        if ((value = pthread_cond_wait(&condition, &mutex)) != 0)
            printf("wait %d\n", value);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    printf("destroy %d", pthread_cond_destroy(&condition));
    printf(" destroy %d\n", pthread_condattr_destroy(&attributes));
    return 0;
}
