#include <pthread.h>

int x = 2147483646;

static void *worker(void *arg) {
    if (x < 2147483647)
        x++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (x < 2147483647)
        x++;
    pthread_join(thread, 0);
    return 0;
}
