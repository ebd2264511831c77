// unfold:
// A call through a pointer that another thread may change.
#include <pthread.h>
int x;

static void one(void) { x = 1; }
static void two(void) { x = 2; }
static void (*call)(void) = one;

static void *run(void *arg) {
    call = two;
    x = 3;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    call();
    return 0;
}
