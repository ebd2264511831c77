/* Peterson's lock, loop headers entered at most 2 times. */
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, owner;

static void *worker(void *arg) {
    flag1 = 1;
    turn = 0;
    while (flag0 && turn == 0)
        ;
    owner = 1;
    assert(owner == 1);
    flag1 = 0;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    flag0 = 1;
    turn = 1;
    while (flag1 && turn == 1)
        ;
    owner = 0;
    assert(owner == 0);
    flag0 = 0;
    pthread_join(t, 0);
    return 0;
}
