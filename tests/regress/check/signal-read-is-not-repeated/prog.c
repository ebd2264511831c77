#include <assert.h>
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
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGUSR1, &action, 0);
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    char byte = 0;
    assert(read(ends[0], &byte, 1) == 1);
    pthread_join(thread, 0);
    return 0;
}
