// unfold:
// A pointer that another thread stores is read from a cell.
#include <pthread.h>
int x;
int *p;

static void *run(void *arg) {
    p = &x;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (p) *p = 1;
    x = 2;
    return 0;
}
