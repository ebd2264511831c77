// unfold: clang=-m32
// Addresses of 32 bits.
#include <pthread.h>
int x;
int *p = &x;

static void *run(void *arg) {
    *p = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    p = 0;
    x = 2;
    return 0;
}
