/* The wake-up comes before what the sleeper looks at. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *sleeper(void *arg) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sleeper, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
    word = 1;
    pthread_join(t, 0);
    return 0;
}
