#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *give(void *unused) {
    write(ends[1], "x", 1);
    data = 42;
    return 0;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    char byte;
    read(ends[0], &byte, 1);
    assert(data == 42);
    pthread_join(thread, 0);
    return 0;
}
