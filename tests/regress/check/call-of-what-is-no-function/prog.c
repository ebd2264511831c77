#include <pthread.h>
#include <stdlib.h>

static void nothing(void) {}
void (*f)(void) = nothing;

static void *worker(void *arg) {
    f = 0;
    f = nothing;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    f();
    pthread_join(thread, 0);
    return 0;
}
