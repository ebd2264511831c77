#include <pthread.h>

struct {
    unsigned a : 3, b : 5;
} s;

static void *worker(void *arg) {
    s.a = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    s.b = 1;
    pthread_join(thread, 0);
    return 0;
}
