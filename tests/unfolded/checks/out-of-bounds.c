// unfold: checks=memory
// An index that another thread may make too large.
#include <pthread.h>
int x[2], i;

static void *run(void *arg) {
    i = 2;
    x[1] = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x[i] = 3;
    return 0;
}
