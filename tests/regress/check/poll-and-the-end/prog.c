#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *finish(void *unused) {
    close(ends[1]);
    return 0;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, finish, 0);
    struct pollfd entry = {ends[0], POLLIN, 0};
    assert(poll(&entry, 1, -1) == 1);
    assert(entry.revents == POLLHUP);
    char byte;
    assert(read(ends[0], &byte, 1) == 0);
    pthread_join(thread, 0);
    return 0;
}
