/* A heap block that is never published costs no steps but its allocation. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y;

static void *worker(void *arg) {
    int *p = malloc(sizeof(int));
    *p = 1;
    x = *p;
    free(p);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    y = 1;
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
