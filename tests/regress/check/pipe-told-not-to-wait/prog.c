#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *put(void *unused) {
    write(ends[1], "x", 1);
    return 0;
}

int main(void) {
    pipe(ends);
    fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    pthread_t thread;
    pthread_create(&thread, 0, put, 0);
    char byte;
    ssize_t got = read(ends[0], &byte, 1);
    if (got == -1)
        assert(errno != EAGAIN);
    pthread_join(thread, 0);
    return 0;
}
