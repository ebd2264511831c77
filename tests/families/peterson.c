/* Two threads that enter by Peterson's rule, again and again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn, inside;

static void *enter(void *arg) {
    long me = (long)arg, other = 1 - me;
    for (;;) {
        atomic_store(&flag[me], 1);
        atomic_store(&turn, other);
        while (atomic_load(&flag[other]) && atomic_load(&turn) == other) {
        }
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&flag[me], 0);
    }
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, enter, (void *)0);
    pthread_create(&u, 0, enter, (void *)1);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
