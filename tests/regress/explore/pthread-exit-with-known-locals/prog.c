/* To leave all functions at once is a step if others know any of their locals. */
#include <pthread.h>

int x;
int *g;

static void leave(int *v) {
    int w = *v;
    g = v;
    (void)w;
    pthread_exit(0);
}

static void *worker(void *arg) {
    int v = 0;
    leave(&v);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    pthread_join(t, 0);
    return 0;
}
