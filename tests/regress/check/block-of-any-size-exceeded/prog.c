#include <pthread.h>
#include <stdlib.h>

int n = 2;

void *grow(void *arg) {
    n = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, grow, 0);
    int size = n;
    int *p = malloc(size * sizeof *p);
    for (int i = 0; i < 3; i++)
        if (i <= size)
            p[i] = 1;
    return 0;
}
