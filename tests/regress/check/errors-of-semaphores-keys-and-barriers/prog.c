#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <limits.h>
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    assert(sem_init(&semaphore, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
    assert(sem_init(&semaphore, 0, INT_MAX) == 0);
    assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    pthread_key_t key;
    assert(pthread_key_create(&key, 0) == 0);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_key_delete(key) == EINVAL);
    assert(pthread_setspecific(key, 0) == EINVAL);
    pthread_barrier_t barrier;
    assert(pthread_barrier_init(&barrier, 0, INT_MAX) == EINVAL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setdetachstate(&attributes, 2) == EINVAL);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    return 0;
}
