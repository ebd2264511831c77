/* Spinning on an atomic flag, the loop header entered once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

static void *waiter(void *arg) {
    while (!flag)
        ;
    assert(data == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    data = 1;
    flag = 1;
    pthread_join(t, 0);
    return 0;
}
