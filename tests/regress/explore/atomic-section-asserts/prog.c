/* An assertion inside an atomic section sees both variables at one moment. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

static void *worker(void *arg) {
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    assert(x == y);
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
