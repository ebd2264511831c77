#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2], counter;
static int which;

static void *wake(void *unused) {
    if (which)
        eventfd_write(counter, 1);
    else
        write(ends[1], "x", 1);
    return 0;
}

int main(void) {
    pipe(ends);
    counter = eventfd(0, 0);
    which = __VERIFIER_nondet_bool();
    pthread_t thread;
    pthread_create(&thread, 0, wake, 0);
    struct pollfd entries[2] = {{ends[0], POLLIN, 0}, {counter, POLLIN, 0}};
    assert(poll(entries, 2, -1) == 1);
    assert(entries[which].revents == POLLIN && entries[!which].revents == 0);
    pthread_join(thread, 0);
    return 0;
}
