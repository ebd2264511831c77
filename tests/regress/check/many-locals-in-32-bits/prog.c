#include <assert.h>
#include <pthread.h>

int x;

static int copy(int a) {
    int b = a;
    return b;
}

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += copy(i);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
