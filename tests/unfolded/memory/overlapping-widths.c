// unfold:
// Accesses of different widths cut the memory at every boundary.
#include <pthread.h>
union { int whole; short half[2]; } u;

static void *run(void *arg) {
    u.half[1] = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    u.whole = u.whole + 1;
    return 0;
}
