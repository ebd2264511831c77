#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec seen;

static void *look(void *unused) {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &seen);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    assert(now.tv_sec >= seen.tv_sec);
    return 0;
}
