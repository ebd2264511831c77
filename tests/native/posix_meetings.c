// Barriers, spin locks, semaphores and once controls: results that are defined.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int runs;

static void run(void) {
    runs++;
}

static void *locks(void *arg) {
    printf("other: trylock %d\n", pthread_spin_trylock(arg));
    return 0;
}

static void told(const char *what, int result) {
    printf("%s %d %d\n", what, result, result == 0 ? 0 : errno);
    errno = 0;
}

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrierattr_t attributes;
    int value = -1;
    printf("init %d", pthread_barrierattr_init(&attributes));
    printf(" setpshared %d", pthread_barrierattr_setpshared(&attributes, 9));
    printf(" getpshared %d", pthread_barrierattr_getpshared(&attributes, &value));
    printf(" %d\n", value);
    printf("init %d", pthread_barrier_init(&barrier, 0, 0));
    printf(" init %d", pthread_barrier_init(&barrier, 0, UINT_MAX));
    printf(" init %d", pthread_barrier_init(&barrier, 0, INT_MAX));
    printf(" init %d", pthread_barrier_init(&barrier, &attributes, 1));
    printf(" wait %d", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf(" wait %d", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf(" destroy %d\n", pthread_barrier_destroy(&barrier));

    pthread_spinlock_t spin;
    pthread_t thread;
    printf("init %d", pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    printf(" lock %d", pthread_spin_lock(&spin));
    printf(" trylock %d\n", pthread_spin_trylock(&spin));
    pthread_create(&thread, 0, locks, (void *)&spin);
    pthread_join(thread, 0);
    printf("unlock %d", pthread_spin_unlock(&spin));
    printf(" trylock %d", pthread_spin_trylock(&spin));
    printf(" unlock %d", pthread_spin_unlock(&spin));
    printf(" destroy %d\n", pthread_spin_destroy(&spin));

    struct timespec past = {0, 0};
    sem_t semaphore;
    told("init", sem_init(&semaphore, 0, (unsigned)INT_MAX + 1));
    told("init", sem_init(&semaphore, 0, INT_MAX));
    told("post", sem_post(&semaphore));
    told("getvalue", sem_getvalue(&semaphore, &value));
    printf("%d\n", value == INT_MAX);
    told("wait", sem_wait(&semaphore));
    told("post", sem_post(&semaphore));
    told("destroy", sem_destroy(&semaphore));
    told("init", sem_init(&semaphore, 0, 1));
    told("timedwait", sem_timedwait(&semaphore, &past));
    told("timedwait", sem_timedwait(&semaphore, &past));
    told("trywait", sem_trywait(&semaphore));
    told("post", sem_post(&semaphore));
    told("trywait", sem_trywait(&semaphore));
    told("destroy", sem_destroy(&semaphore));

    printf("once %d", pthread_once(&control, run));
    printf(" once %d runs %d\n", pthread_once(&control, run), runs);
    return 0;
}
