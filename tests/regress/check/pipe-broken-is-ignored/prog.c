#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void *close_it(void *unused) {
    close(ends[0]);
    return 0;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, close_it, 0);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, 0);
    return 0;
}
