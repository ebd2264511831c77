/* While there is one thread only, nobody notices when a function is registered. */
#include <pthread.h>
#include <stdlib.h>

static void at_end(void) {
}

static void *worker(void *arg) {
    return 0;
}

int main(void) {
    pthread_t t;
    atexit(at_end);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    atexit(at_end);
    return 0;
}
