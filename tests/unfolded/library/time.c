// unfold:
// The time is an input.
#include <pthread.h>
#include <time.h>
long x;

static void *run(void *arg) {
    x = time(0);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    return 0;
}
