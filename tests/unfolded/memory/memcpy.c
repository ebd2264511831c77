// unfold:
// A copy of shared memory is one step.
#include <pthread.h>
#include <string.h>
struct { int a, b; } s, t;

static void *run(void *arg) {
    s.a = 1;
    t.b = 2;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    memcpy(&t, &s, sizeof s);
    return 0;
}
