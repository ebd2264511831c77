// unfold:
// A spin lock.
#include <pthread.h>
pthread_spinlock_t l;
int x;

static void *run(void *arg) {
    pthread_spin_lock(&l);
    x = x + 1;
    pthread_spin_unlock(&l);
    return 0;
}

int main(void) {
    pthread_spin_init(&l, 0);
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
