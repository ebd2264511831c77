#include <pthread.h>

union {
    int whole;
    char bytes[4];
} u;

static void *worker(void *arg) {
    u.whole = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    u.bytes[2] = 1;
    pthread_join(thread, 0);
    return 0;
}
