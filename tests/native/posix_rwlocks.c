// Read-write locks: the results of calls that POSIX or glibc define.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct timespec past;

static void *tries(void *arg) {
    int got = pthread_rwlock_tryrdlock(arg);
    printf("other: tryrdlock %d", got);
    if (got == 0)
        printf(" unlock %d", pthread_rwlock_unlock(arg));
    printf(" trywrlock %d", pthread_rwlock_trywrlock(arg));
    got = pthread_rwlock_timedrdlock(arg, &past);
    printf(" timedrdlock %d", got);
    if (got == 0)
        printf(" unlock %d", pthread_rwlock_unlock(arg));
    printf(" timedwrlock %d\n", pthread_rwlock_timedwrlock(arg, &past));
    return 0;
}

static void ask(pthread_rwlock_t *lock) {
    pthread_t thread;
    pthread_create(&thread, 0, tries, lock);
    pthread_join(thread, 0);
}

int main(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlock_t lock;
    int value = -1;
    printf("init %d", pthread_rwlockattr_init(&attributes));
    printf(" setkind %d", pthread_rwlockattr_setkind_np(&attributes, 7));
    printf(" setkind %d", pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    printf(" getkind %d", pthread_rwlockattr_getkind_np(&attributes, &value));
    printf(" %d", value);
    printf(" setpshared %d", pthread_rwlockattr_setpshared(&attributes, 7));
    printf(" getpshared %d", pthread_rwlockattr_getpshared(&attributes, &value));
    printf(" %d\n", value);
    printf("init %d", pthread_rwlock_init(&lock, &attributes));
    printf(" destroy %d", pthread_rwlockattr_destroy(&attributes));
    printf(" rdlock %d", pthread_rwlock_rdlock(&lock));
    printf(" rdlock %d", pthread_rwlock_rdlock(&lock));
    printf(" tryrdlock %d", pthread_rwlock_tryrdlock(&lock));
    printf(" timedrdlock %d", pthread_rwlock_timedrdlock(&lock, &past));
    printf(" trywrlock %d", pthread_rwlock_trywrlock(&lock));
    printf(" timedwrlock %d\n", pthread_rwlock_timedwrlock(&lock, &past));
    ask(&lock);
    for (int i = 0; i < 4; i++)
        printf(" unlock %d", pthread_rwlock_unlock(&lock));
    printf("\nwrlock %d", pthread_rwlock_wrlock(&lock));
    printf(" wrlock %d", pthread_rwlock_wrlock(&lock));
    printf(" rdlock %d", pthread_rwlock_rdlock(&lock));
    printf(" tryrdlock %d", pthread_rwlock_tryrdlock(&lock));
    printf(" trywrlock %d", pthread_rwlock_trywrlock(&lock));
    printf(" timedrdlock %d", pthread_rwlock_timedrdlock(&lock, &past));
    printf(" timedwrlock %d\n", pthread_rwlock_timedwrlock(&lock, &past));
    ask(&lock);
    printf("unlock %d", pthread_rwlock_unlock(&lock));
    printf(" timedwrlock %d", pthread_rwlock_timedwrlock(&lock, &past));
    printf(" unlock %d", pthread_rwlock_unlock(&lock));
    printf(" destroy %d\n", pthread_rwlock_destroy(&lock));
    return 0;
}
