// unfold:
// A new block may get the address of one that was freed.
#include <pthread.h>
#include <stdlib.h>
int *p, *q;

static void *run(void *arg) {
    int *mine = malloc(sizeof *mine);
    p = mine;
    free(mine);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    q = malloc(sizeof *q);
    if (p == q) *q = 1;
    return 0;
}
