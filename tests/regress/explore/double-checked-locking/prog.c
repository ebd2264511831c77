/* Double-checked locking that sets the flag before the value. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready, value;

static int get(void) {
    if (!ready) {
        pthread_mutex_lock(&m);
        if (!ready) {
            ready = 1;
            value = 42;
        }
        pthread_mutex_unlock(&m);
    }
    return value;
}

static void *worker(void *arg) {
    assert(get() == 42);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(get() == 42);
    pthread_join(t, 0);
    return 0;
}
