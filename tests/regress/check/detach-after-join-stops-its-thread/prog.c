#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    int result = pthread_detach(thread);
    assert(result != 0);
    return 0;
}
