// Threads and their attributes: the results of calls that POSIX or glibc define.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void *twice(void *arg) {
    return (void *)(2 * (long)arg);
}

static void *leaves(void *arg) {
    pthread_exit(arg);
}

int main(void) {
    pthread_t thread;
    void *result = 0;
    printf("create %d\n", pthread_create(&thread, 0, twice, (void *)21));
    printf("join %d", pthread_join(thread, &result));
    printf(" %ld\n", (long)result);
    printf("create %d\n", pthread_create(&thread, 0, leaves, (void *)7));
    printf("join %d", pthread_join(thread, &result));
    printf(" %ld\n", (long)result);
    printf("self %d\n", pthread_equal(pthread_self(), pthread_self()) != 0);
    printf("yield %d\n", sched_yield());

    pthread_attr_t attributes;
    int value = -1;
    printf("init %d\n", pthread_attr_init(&attributes));
    printf("get %d", pthread_attr_getdetachstate(&attributes, &value));
    printf(" %d\n", value == PTHREAD_CREATE_JOINABLE);
    printf("set %d\n", pthread_attr_setdetachstate(&attributes, 7));
    printf("set %d\n", pthread_attr_setdetachstate(&attributes, -1));
    printf("set %d\n", pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    printf("get %d", pthread_attr_getdetachstate(&attributes, &value));
    printf(" %d\n", value == PTHREAD_CREATE_DETACHED);
    printf("scope %d", pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM));
    printf(" %d", pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS));
    printf(" %d", pthread_attr_setscope(&attributes, 77));
    printf(" %d", pthread_attr_getscope(&attributes, &value));
    printf(" %d\n", value);
    printf("inherit %d", pthread_attr_setinheritsched(&attributes, 99));
    printf(" %d", pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED));
    printf(" %d", pthread_attr_getinheritsched(&attributes, &value));
    printf(" %d\n", value);
    printf("policy %d", pthread_attr_setschedpolicy(&attributes, 99));
    printf(" %d", pthread_attr_setschedpolicy(&attributes, SCHED_RR));
    printf(" %d", pthread_attr_getschedpolicy(&attributes, &value));
    printf(" %d\n", value);
    printf("stack %d", pthread_attr_setstacksize(&attributes, 100));
    printf(" %d\n", pthread_attr_setstacksize(&attributes, 1 << 20));
    printf("destroy %d\n", pthread_attr_destroy(&attributes));
    return 0;
}
