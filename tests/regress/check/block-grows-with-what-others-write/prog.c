#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int n = 1;

void *grow(void *arg) {
    n = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, grow, 0);
    int size = n;
    char *p = malloc(size);
    if (size == 3) {
        p[2] = 1;
        assert(0);
    }
    return 0;
}
