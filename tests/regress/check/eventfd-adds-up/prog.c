#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *add(void *unused) {
    uint64_t value = 2;
    write(counter, &value, sizeof value);
    eventfd_write(counter, 3);
    return 0;
}

int main(void) {
    counter = eventfd(0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    uint64_t first = 0, second = 0;
    assert(read(counter, &first, sizeof first) == 8);
    assert(first == 2 || first == 5);
    if (first == 2)
        assert(eventfd_read(counter, &second) == 0);
    assert(first + second == 5);
    pthread_join(thread, 0);
    return 0;
}
