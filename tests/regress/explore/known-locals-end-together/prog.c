/* Two known locals of one function end in one step. */
#include <pthread.h>

int x;
int *g, *h;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

static void f(void) {
    int a, b, unknown = 0;
    g = &a;
    h = &b;
    (void)unknown;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    f();
    pthread_join(t, 0);
    return 0;
}
