#include <pthread.h>
#include <stdlib.h>

void *work(void *arg) {
    malloc(4);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_detach(t);
    pthread_exit(0);
}
