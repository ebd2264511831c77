// unfold:
// Positions of both branches stand one after the other.
#include <pthread.h>
int x, y;

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (x) y = 1;
    else x = 2;
    x = y;
    return 0;
}
