// unfold: unwind=2
// A loop that waits is cut at its bound.
#include <pthread.h>
int flag;

static void *run(void *arg) {
    flag = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    while (!flag) {}
    return 0;
}
