#include <assert.h>
#include <pthread.h>

int flag;

static void *worker(void *arg) {
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) {
    }
    pthread_join(thread, 0);
    assert(flag == 1);
    return 0;
}
