#include <pthread.h>

void __VERIFIER_assert(int);

int x = 2147483647;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int y = x;
    if (y < 0)
        __VERIFIER_assert(0);
    pthread_join(thread, 0);
    return 0;
}
