#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock;

static void take(void) {
    int seen = 0;
    while (!atomic_compare_exchange_strong(&lock, &seen, 1)) {
        syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
        seen = 0;
    }
}

static void give(void) {
    if (atomic_exchange(&lock, 0) == 2)
        syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *work(void *unused) {
    take();
    give();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
