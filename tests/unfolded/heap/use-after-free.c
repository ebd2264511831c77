// unfold: checks=memory
// Where wrong uses of memory are looked for.
#include <pthread.h>
#include <stdlib.h>
static void *run(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    int *p = malloc(sizeof *p);
    pthread_create(&a, 0, run, p);
    free(p);
    return 0;
}
