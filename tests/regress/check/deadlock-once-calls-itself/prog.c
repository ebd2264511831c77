#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;

static void routine(void) {
    pthread_once(&control, routine);
}

int main(void) {
    pthread_once(&control, routine);
    return 0;
}
