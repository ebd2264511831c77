// unfold:
// A random number is an input.
#include <pthread.h>
#include <stdlib.h>
int x;

static void *run(void *arg) {
    x = rand();
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    return 0;
}
