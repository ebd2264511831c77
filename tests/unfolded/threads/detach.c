// unfold:
// A detached thread.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    pthread_detach(a);
    x = 2;
    return 0;
}
