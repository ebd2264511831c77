#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int old[2], fresh[2];

static void *close_twice(void *unused) {
    close(old[0]);
    close(old[0]);
    return 0;
}

int main(void) {
    pipe(old);
    pthread_t thread;
    pthread_create(&thread, 0, close_twice, 0);
    pipe(fresh);
    char byte = 'x';
    assert(write(fresh[1], &byte, 1) == 1);
    assert(read(fresh[0], &byte, 1) == 1);
    pthread_join(thread, 0);
    return 0;
}
