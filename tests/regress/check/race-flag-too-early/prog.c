#include <pthread.h>

int data;
_Atomic int flag;

static void *worker(void *arg) {
    flag = 1;
    data = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (flag)
        data++;
    pthread_join(thread, 0);
    return 0;
}
