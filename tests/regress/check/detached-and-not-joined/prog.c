#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    return 0;
}
