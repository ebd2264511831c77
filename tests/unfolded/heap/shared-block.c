// unfold:
// A block that is handed to a thread.
#include <pthread.h>
#include <stdlib.h>
static void *run(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    int *p = malloc(sizeof *p);
    *p = 3;
    pthread_create(&a, 0, run, p);
    *p = 2;
    pthread_join(a, 0);
    free(p);
    return 0;
}
