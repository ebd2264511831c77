/* A heap block becomes shared when its address is stored in a global. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *g;

static void *reader(void *arg) {
    if (g) {
        int r = *g;
        assert(r == 1 || r == 2);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    int *p = malloc(sizeof(int));
    pthread_create(&t, 0, reader, 0);
    *p = 1;
    g = p;
    *p = 2;
    pthread_join(t, 0);
    return 0;
}
