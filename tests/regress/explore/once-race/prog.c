/* Two threads call pthread_once. */
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int n;

static void init(void) {
    n++;
}

static void *worker(void *arg) {
    pthread_once(&once, init);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_once(&once, init);
    pthread_join(t, 0);
    assert(n == 1);
    return 0;
}
