#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused) {
    char byte;
    read(ends[0], &byte, 1);
    return 0;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    void *result;
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
