#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *give(void *unused) {
    data = 42;
    char byte = 'x';
    assert(write(ends[1], &byte, 1) == 1);
    return 0;
}

int main(void) {
    assert(pipe(ends) == 0);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    char byte = 0;
    assert(read(ends[0], &byte, 1) == 1);
    assert(byte == 'x' && data == 42);
    pthread_join(thread, 0);
    return 0;
}
