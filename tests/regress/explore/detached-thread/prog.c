/* A detached thread that main does not wait for. */
#include <pthread.h>

int y;

static void *worker(void *arg) {
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_detach(t);
    return 0;
}
