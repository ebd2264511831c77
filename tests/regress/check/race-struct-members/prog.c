#include <pthread.h>

struct {
    char a, b;
    short c;
} s;

static void *worker(void *arg) {
    s.a = 1;
    s.c = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    s.b = 1;
    pthread_join(thread, 0);
    return 0;
}
