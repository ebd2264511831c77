/* A counter under a spin lock. */
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t l;
int x;

static void *worker(void *arg) {
    pthread_spin_lock(&l);
    x++;
    pthread_spin_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, 0, worker, 0);
    pthread_spin_lock(&l);
    x++;
    pthread_spin_unlock(&l);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
