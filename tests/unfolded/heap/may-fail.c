// unfold: with=failures
// An allocation that may fail.
#include <pthread.h>
#include <stdlib.h>
int *p;

static void *run(void *arg) {
    p = malloc(sizeof *p);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (p) *p = 1;
    return 0;
}
