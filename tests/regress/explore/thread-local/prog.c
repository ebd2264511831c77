/* A thread-local variable is private. */
#include <assert.h>
#include <pthread.h>

__thread int n;
int x, y;

static void *worker(void *arg) {
    n++;
    x = n;
    return 0;
}

int main(void) {
    pthread_t t;
    n = 5;
    pthread_create(&t, 0, worker, 0);
    n++;
    n--;
    y = n;
    pthread_join(t, 0);
    assert(n == 5);
    assert(x == 1);
    return 0;
}
