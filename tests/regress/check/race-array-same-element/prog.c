#include <pthread.h>

int a[2];
_Atomic int i;

static void *worker(void *arg) {
    i = 1;
    a[0]++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int at = i;
    a[at]++;
    pthread_join(thread, 0);
    return 0;
}
