#include <pthread.h>
#include <stdlib.h>



static void *worker(void *arg) {
    pthread_join(pthread_self(), 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
