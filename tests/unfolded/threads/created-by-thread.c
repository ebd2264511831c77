// unfold:
// A thread that another thread creates.
#include <pthread.h>
int x;

static void *inner(void *arg) {
    x = 2;
    return 0;
}

static void *outer(void *arg) {
    pthread_t t;
    x = 1;
    pthread_create(&t, 0, inner, 0);
    pthread_join(t, 0);
    x = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    x = 4;
    return 0;
}
