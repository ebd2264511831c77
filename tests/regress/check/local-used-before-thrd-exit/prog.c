/* The same with the threads of C11. */
#include <assert.h>
#include <threads.h>

int *p;

static int worker(void *arg) {
    int local = 1;
    p = &local;
    thrd_exit(0);
}

int main(void) {
    thrd_t t;
    thrd_create(&t, worker, 0);
    int *q = p;
    if (q) {
        assert(*q == 0);
    }
    thrd_join(t, 0);
    return 0;
}
