// unfold:
// A local whose address another thread gets is shared.
#include <pthread.h>
static void *run(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    int x = 0;
    pthread_t a;
    pthread_create(&a, 0, run, &x);
    x = 2;
    pthread_join(a, 0);
    return x;
}
