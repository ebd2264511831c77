/* Each side raises its flag and enters only if the other flag is down. */
#include <assert.h>
#include <pthread.h>

int flag0, flag1, owner;

static void *worker(void *arg) {
    flag1 = 1;
    if (flag0 == 0) {
        owner = 2;
        assert(owner == 2);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    flag0 = 1;
    if (flag1 == 0) {
        owner = 1;
        assert(owner == 1);
    }
    pthread_join(t, 0);
    return 0;
}
