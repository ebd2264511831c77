#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void nothing(int signal) {}

static void *give(void *unused) {
    write(ends[1], "x", 1);
    return 0;
}

int main(void) {
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, 0);
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    struct pollfd entry = {ends[0], POLLIN, 0};
    assert(poll(&entry, 1, -1) == 1);
    pthread_join(thread, 0);
    return 0;
}
