#include <pthread.h>

int ready, seen;

static void *set(void *arg) {
    ready = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    int x;

    pthread_create(&t, 0, set, 0);
    if (ready)
        x = 3;
    else
        x = 4;
    if (x == 3)
        seen = 1;
    pthread_join(t, 0);
    return 0;
}
