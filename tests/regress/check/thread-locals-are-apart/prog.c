#include <assert.h>
#include <pthread.h>

static _Thread_local int own;

static void *worker(void *arg) {
    own++;
    assert(own == 1);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(own == 0);
    return 0;
}
