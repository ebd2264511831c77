#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *add(void *unused) {
    eventfd_write(counter, 1);
    return 0;
}

int main(void) {
    counter = eventfd(0, EFD_NONBLOCK);
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    uint64_t value;
    assert(read(counter, &value, sizeof value) == 8);
    pthread_join(thread, 0);
    return 0;
}
