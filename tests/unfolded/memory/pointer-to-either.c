// unfold:
// A pointer to one of two variables.
#include <pthread.h>
int x, y;
int *p = &x;

static void *run(void *arg) {
    p = &y;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    *p = 3;
    x = y;
    return 0;
}
