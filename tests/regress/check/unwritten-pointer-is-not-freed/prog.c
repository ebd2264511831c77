#include <pthread.h>
#include <stdlib.h>

int wanted;

static void *work(void *arg) {
    wanted = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    char *buffer;

    pthread_create(&t, 0, work, 0);
    if (wanted)
        buffer = malloc(4);
    else
        buffer = 0;
    free(buffer);
    pthread_join(t, 0);
    return 0;
}
