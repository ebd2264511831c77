// unfold:
// Floating-point numbers that are constants are computed.
#include <pthread.h>
double x = 1.5;
int y;

static void *run(void *arg) {
    y = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    y = (int)(x * 2);
    return 0;
}
