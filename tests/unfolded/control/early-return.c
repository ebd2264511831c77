// unfold:
// A path that returns early leaves the rest to the others.
#include <pthread.h>
int x, y;

static void *run(void *arg) {
    if (x) return 0;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 1;
    y = 2;
    return 0;
}
