#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, first;

static void *sleeper(void *number) {
    if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0) == 0) {
        int nobody = 0;
        atomic_compare_exchange_strong(&first, &nobody, (int)(long)number);
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sleeper, (void *)1);
    pthread_create(&two, 0, sleeper, (void *)2);
    word = 1;
    if (syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0) == 1) {
        pthread_join(two, 0);
        assert(first != 1);
    }
    return 0;
}
