// Futexes, pages of memory, sets of signals, and library functions as callbacks.
// also: -m32
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, other, ready;
static char words[4][8] = {"pear", "fig", "apple", "lime"};

static long futex(atomic_int *at, int op, int value, void *four, atomic_int *to, int six) {
    return syscall(SYS_futex, at, op, value, four, to, six);
}

static void *sleeper(void *unused) {
    while (word == 0)
        futex(&word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    ready = 1;
    futex(&ready, FUTEX_WAKE, INT_MAX, 0, 0, 0);
    return 0;
}

static void futexes(void) {
    struct timespec limit = {0, 1000};
    printf("wait %ld", futex(&word, FUTEX_WAIT, 1, 0, 0, 0));
    printf(" %d\n", errno == EAGAIN);
    printf("wait %ld", futex(&word, FUTEX_WAIT_PRIVATE, 0, &limit, 0, 0));
    printf(" %d\n", errno == ETIMEDOUT);
    printf("bits %ld", futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 0));
    printf(" %d\n", errno == EINVAL);
    printf("wake %ld", futex(&word, FUTEX_WAKE, 1, 0, 0, 0));
    printf(" %ld", futex(&word, FUTEX_WAKE_BITSET, 1, 0, 0, 5));
    printf(" %ld", futex(&word, FUTEX_REQUEUE, 1, (void *)1, &other, 0));
    printf(" %ld", futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 7));
    printf(" %d", errno == EAGAIN);
    printf(" %ld\n", futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 0));
    pthread_t thread;
    pthread_create(&thread, 0, sleeper, 0);
    word = 1;
    futex(&word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    while (ready == 0)
        futex(&ready, FUTEX_WAIT, 0, 0, 0, 0);
    printf("join %d\n", pthread_join(thread, 0));
    printf("numbers %d %d\n", syscall(SYS_getpid) == getpid(), syscall(SYS_gettid) == getpid());
}

static void pages(void) {
    long size = sysconf(_SC_PAGESIZE);
    printf("size %ld %d %d\n", size, getpagesize(), sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    int *page = mmap(0, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("map %d %d %d\n", page != MAP_FAILED, page[0], page[2047]);
    page[2047] = 3;
    printf("advice %d\n", madvise(page, 5000, MADV_WILLNEED));
    printf("protect %d\n", mprotect(page, 4096, PROT_READ | PROT_WRITE));
    printf("unmap %d\n", munmap(page, 5000));
    void *none = mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("none %d %d\n", none == MAP_FAILED, errno == EINVAL);
}

static void signals(void) {
    sigset_t all, old;
    struct sigaction action = {0};
    action.sa_handler = SIG_IGN;
    printf("fill %d", sigfillset(&all));
    printf(" %d %d", sigdelset(&all, SIGINT), sigaddset(&all, SIGINT));
    printf(" %d", pthread_sigmask(SIG_BLOCK, &all, &old));
    printf(" %d", pthread_sigmask(SIG_SETMASK, &old, 0));
    printf(" %d", sigaction(SIGPIPE, &action, 0));
    printf(" %d\n", signal(SIGUSR1, SIG_IGN) == SIG_DFL);
}

int main(void) {
    futexes();
    pages();
    signals();
    pthread_key_t key;
    pthread_key_create(&key, free);
    pthread_setspecific(key, malloc(4));
    qsort(words, 4, 8, (int (*)(const void *, const void *))strcmp);
    printf("%s %s %s %s\n", words[0], words[1], words[2], words[3]);
    size_t (*length)(const char *) = strlen;
    printf("length %d %d\n", (int)length("four"), length == strlen);
    free(pthread_getspecific(key));
    return 0;
}
