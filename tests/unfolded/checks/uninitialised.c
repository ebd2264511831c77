// unfold: checks=uninitialised
// A local that is never written decides.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    int n;
    if (x) n = 1;
    if (n) x = 2;
    return 0;
}
