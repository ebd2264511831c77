// unfold:
// A thread that ends in the middle.
#include <pthread.h>
int x;

static void *run(void *arg) {
    if (x) pthread_exit(0);
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    pthread_exit(0);
    return 0;
}
