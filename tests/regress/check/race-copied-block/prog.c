#include <pthread.h>
#include <string.h>

char a[4], b[4];

static void *worker(void *arg) {
    memcpy(b, a, 4);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    b[3]++;
    pthread_join(thread, 0);
    return 0;
}
