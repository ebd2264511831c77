/* Destructors of thread-specific data run before the thread has ended. */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int freed;

static void destroy(void *value) { freed += *(int *)value; }

static void *worker(void *arg) {
    pthread_setspecific(key, arg);
    return 0;
}

int main(void) {
    int one = 1;
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, 0, worker, &one);
    int before = freed;
    pthread_join(t, 0);
    assert(freed == 1);
    assert(before == 0);
    return 0;
}
