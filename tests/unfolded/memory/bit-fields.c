// unfold:
// Bit-fields share a cell.
#include <pthread.h>
struct { unsigned a : 3, b : 5; } s;

static void *run(void *arg) {
    s.a = 5;
    return 0;
}

static void *other(void *arg) {
    s.b = 9;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
