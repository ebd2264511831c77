#include <pthread.h>

int x;
_Atomic int go;

static void *worker(void *arg) {
    while (1)
        x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    go = 1;
    x = 2;
    pthread_join(thread, 0);
    return 0;
}
