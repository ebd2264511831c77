// unfold: unwind=2
// Recursion is cut like a loop.
#include <pthread.h>
int x;

static void down(int n) {
    if (n && x) down(n - 1);
}

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    down(3);
    return 0;
}
