#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *close_it(void *unused) {
    close(ends[0]);
    return 0;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, close_it, 0);
    pthread_join(thread, 0);
    write(ends[1], "x", 1);
    assert(0);
}
