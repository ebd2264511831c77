// unfold:
// Memory that was never written may hold anything.
#include <pthread.h>
static int *p;

static void *run(void *arg) {
    int local;
    p = &local;
    local = local + 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (p) *p = 2;
    return 0;
}
