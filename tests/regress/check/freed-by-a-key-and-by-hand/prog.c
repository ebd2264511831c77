#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *unused) {
    int *block = malloc(4);
    pthread_setspecific(key, block);
    free(block);
    return 0;
}

int main(void) {
    pthread_key_create(&key, free);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
