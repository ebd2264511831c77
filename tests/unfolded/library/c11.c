// unfold:
// Threads and mutexes by their C11 names.
#include <threads.h>
static mtx_t m;
int x;

static int run(void *arg) {
    mtx_lock(&m);
    x = x + 1;
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    thrd_t a;
    int result;
    mtx_init(&m, mtx_plain);
    thrd_create(&a, run, 0);
    mtx_lock(&m);
    x = x + 1;
    mtx_unlock(&m);
    thrd_join(a, &result);
    return result;
}
