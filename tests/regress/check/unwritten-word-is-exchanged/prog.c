#include <pthread.h>
#include <stdlib.h>

int *lock, seen;

static void *work(void *arg) {
    int *l = lock;
    if (l)
        __sync_bool_compare_and_swap(l, 0, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    int *l = malloc(sizeof *l);
    pthread_create(&t, 0, work, 0);
    lock = l;
    *l = 0;
    pthread_join(t, 0);
    return 0;
}
