// unfold:
// A function that runs once.
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
int x;

static void first(void) { x = x + 1; }

static void *run(void *arg) {
    pthread_once(&once, first);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
