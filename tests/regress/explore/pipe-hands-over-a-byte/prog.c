/* A reader waits for what is written. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *worker(void *end) {
    write((int)(long)end, "x", 1);
    return 0;
}

int main(void) {
    int ends[2];
    pipe(ends);
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)(long)ends[1]);
    char byte = 0;
    read(ends[0], &byte, 1);
    assert(byte == 'x');
    return 0;
}
