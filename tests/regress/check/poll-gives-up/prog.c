#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *wake(void *unused) {
    write(ends[1], "x", 1);
    return 0;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, wake, 0);
    struct pollfd entry = {ends[0], POLLIN, 0};
    assert(poll(&entry, 1, 1000) == 1);
    pthread_join(thread, 0);
    return 0;
}
