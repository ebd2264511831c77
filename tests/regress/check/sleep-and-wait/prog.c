#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

static int ready;

static void *work(void *unused) {
    struct timeval before, after;
    gettimeofday(&before, 0);
    usleep(1000);
    gettimeofday(&after, 0);
    ready = after.tv_sec >= before.tv_sec;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    sched_yield();
    pthread_join(thread, 0);
    assert(ready);
    return 0;
}
