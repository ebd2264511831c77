#include <pthread.h>

unsigned x = 4294967295u;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    x++;
    pthread_join(thread, 0);
    return 0;
}
