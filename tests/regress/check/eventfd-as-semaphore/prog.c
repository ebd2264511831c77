#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *take(void *unused) {
    uint64_t one;
    read(counter, &one, sizeof one);
    return 0;
}

int main(void) {
    counter = eventfd(1, EFD_SEMAPHORE);
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    take(0);
    pthread_join(thread, 0);
    return 0;
}
