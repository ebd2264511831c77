// unfold:
// A flag that is tested and set.
#include <pthread.h>
#include <stdatomic.h>
atomic_flag f;
int x;

static void *run(void *arg) {
    if (!atomic_flag_test_and_set(&f)) x = x + 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
