// unfold:
// Elements at constant indices are cells of their own.
#include <pthread.h>
int x[3];

static void *run(void *arg) {
    x[0] = 1;
    x[1] = x[2];
    return 0;
}

static void *other(void *arg) {
    x[0] = x[1];
    x[2] = 3;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
