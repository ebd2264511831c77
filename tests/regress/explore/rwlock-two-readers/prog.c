/* Two readers do not exclude one another. */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&l);
    int r = x;
    pthread_rwlock_unlock(&l);
    assert(r == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    reader(0);
    pthread_join(t, 0);
    return 0;
}
