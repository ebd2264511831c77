#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static int ready;

static void *work(void *unused) {
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    struct timespec second = {1, 0};
    nanosleep(&second, 0);
    usleep(1000);
    sched_yield();
    assert(ready);
    pthread_join(thread, 0);
    return 0;
}
