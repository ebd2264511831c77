// unfold:
// A read-write lock counts its readers.
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

static void *run(void *arg) {
    pthread_rwlock_rdlock(&l);
    y = x;
    pthread_rwlock_unlock(&l);
    return 0;
}

static void *other(void *arg) {
    pthread_rwlock_wrlock(&l);
    x = y + 1;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
