// unfold:
// Bits are counted symbolically.
#include <pthread.h>
#include <strings.h>
int x, y;

static void *run(void *arg) {
    x = 4;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    y = ffs(x) + __builtin_popcount(x);
    x = y;
    return 0;
}
