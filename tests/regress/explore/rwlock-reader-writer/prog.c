/* A reader and a writer with a read-write lock. */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&l);
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_rwlock_rdlock(&l);
    int r = x;
    int s = y;
    pthread_rwlock_unlock(&l);
    pthread_join(t, 0);
    assert(r == s);
    return 0;
}
