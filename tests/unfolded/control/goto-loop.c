// unfold: unwind=1
// A loop that is made of jumps.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
again:
    if (x < 2) {
        x = x + 1;
        goto again;
    }
    return 0;
}
