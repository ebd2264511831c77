/* An atomic function is atomic as the function of a thread too. */
#include <assert.h>
#include <pthread.h>

int x;

void *__VERIFIER_atomic_worker(void *arg) {
    x = 1;
    x = 0;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, __VERIFIER_atomic_worker, 0);
    assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
