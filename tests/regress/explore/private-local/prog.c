/* A local whose address goes only to ordinary functions stays private. */
#include <assert.h>
#include <pthread.h>

int x;

static void add(int *p, int n) {
    *p += n;
}

static void *worker(void *arg) {
    int w = 1;
    add(&w, 1);
    x = w;
    return 0;
}

int main(void) {
    pthread_t t;
    int v = 0;
    pthread_create(&t, 0, worker, 0);
    add(&v, 1);
    add(&v, 2);
    assert(v == 3);
    pthread_join(t, 0);
    return 0;
}
