// unfold: checks=race
// What positions access, for those who look for races.
#include <pthread.h>
int x, y;

static void *run(void *arg) {
    x = y;
    return 0;
}

static void *other(void *arg) {
    y = 1;
    x = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
