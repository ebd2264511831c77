#include <pthread.h>

int table[4], shared;

static void *work(void *arg) {
    int i;
    shared = 1;
    table[(i & 12) >> 4] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    shared = 2;
    pthread_join(t, 0);
    return 0;
}
