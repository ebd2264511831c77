/* The flag is raised after the check: both may enter. */
#include <assert.h>
#include <pthread.h>

int flag0, flag1, owner;

static void *worker(void *arg) {
    if (flag0 == 0) {
        flag1 = 1;
        owner = 2;
        assert(owner == 2);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (flag1 == 0) {
        flag0 = 1;
        owner = 1;
        assert(owner == 1);
    }
    pthread_join(t, 0);
    return 0;
}
