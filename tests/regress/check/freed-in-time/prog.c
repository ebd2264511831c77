#include <pthread.h>
#include <stdlib.h>

void *drop(void *p) {
    free(p);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, drop, malloc(4));
    pthread_join(t, 0);
    return 0;
}
