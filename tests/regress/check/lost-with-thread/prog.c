#include <pthread.h>
#include <stdlib.h>

void *work(void *arg) {
    int *p = malloc(sizeof *p);
    *p = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
