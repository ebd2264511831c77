#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, other, woken;

static long futex(atomic_int *at, int op, int value, long four, atomic_int *to, int six) {
    return syscall(SYS_futex, at, op, value, four, to, six);
}

static void *sleeper(void *unused) {
    if (futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 4) == 0)
        woken++;
    else
        assert(errno == EAGAIN);
    return 0;
}

int main(void) {
    struct timespec limit = {0, 1};
    assert(futex(&word, FUTEX_WAIT, 1, 0, 0, 0) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAIT, 0, (long)&limit, 0, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(&word, FUTEX_WAKE, 1, 0, 0, 0) == 0);
    assert(syscall(SYS_gettid) > 0 && syscall(SYS_sched_yield) == 0);
    pthread_t thread;
    pthread_create(&thread, 0, sleeper, 0);
    assert(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, 0, 0, 3) == 0);
    long moved = futex(&word, FUTEX_CMP_REQUEUE, 0, INT_MAX, &other, 0);
    assert(moved == 0 || moved == 1);
    word = 1;
    long first = futex(&word, FUTEX_WAKE, 1, 0, 0, 0);
    long second = futex(&other, FUTEX_WAKE, 1, 0, 0, 0);
    assert(second == moved && first + second <= 1);
    pthread_join(thread, 0);
    assert(woken == first + second);
    return 0;
}
