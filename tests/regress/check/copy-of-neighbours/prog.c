#include <pthread.h>
#include <stdlib.h>

int a[4];
int i = 2;

static void *worker(void *arg) {
    i = 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    __builtin_memcpy(a + 2, a + 2 - i, 2 * sizeof(int));
    pthread_join(thread, 0);
    return 0;
}
