#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec seen;
static _Atomic int is_seen;

static void *look(void *unused) {
    clock_gettime(CLOCK_MONOTONIC, &seen);
    is_seen = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    if (is_seen) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec > seen.tv_sec
            || now.tv_sec == seen.tv_sec && now.tv_nsec >= seen.tv_nsec);
    }
    pthread_join(thread, 0);
    return 0;
}
