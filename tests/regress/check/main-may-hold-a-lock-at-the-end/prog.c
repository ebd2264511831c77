#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic int is_told;

static void at_end(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *tell(void *arg) {
    is_told = 1;
    exit(0);
}

int main(void) {
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, 0, tell, 0);
    if (is_told)
        pthread_mutex_lock(&lock);
    return 0;
}
