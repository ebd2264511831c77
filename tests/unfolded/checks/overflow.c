// unfold: checks=overflow,arithmetic
// A sum that may overflow, and a division.
#include <pthread.h>
int x, y;

static void *run(void *arg) {
    x = 2147483647;
    y = 0;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = x + 1;
    y = x / y;
    return 0;
}
