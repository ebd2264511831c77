// unfold:
// Blocks that threads keep for themselves are no cells.
#include <pthread.h>
#include <stdlib.h>
int x;

static void *run(void *arg) {
    int *p = malloc(sizeof *p);
    *p = x;
    x = *p + 1;
    free(p);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
