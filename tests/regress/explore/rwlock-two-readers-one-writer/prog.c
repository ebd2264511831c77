/* Two readers may overlap, the writer is alone. */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&l);
    int r = x;
    pthread_rwlock_unlock(&l);
    assert(r == 0 || r == 1);
    return 0;
}

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    reader(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
