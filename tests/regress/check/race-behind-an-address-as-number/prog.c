#include <pthread.h>

_Atomic(int *) shown;
_Atomic long number;
int done;

static void *worker(void *arg) {
    int own[2] = { 0, 1 };
    long address = (long)&own[0];
    own[0] = 3;
    done = 1;
    shown = &own[0];
    number = address;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    done = 2;
    int *seen = shown;
    if (seen)
        *seen = 2;
    return (int)number;
}
