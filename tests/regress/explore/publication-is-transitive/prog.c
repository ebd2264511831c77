/* Publishing a block publishes what it points to. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int *data;
};

struct node *g;
int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    struct node *n = malloc(sizeof *n);
    int *d = malloc(sizeof *d);
    pthread_create(&t, 0, worker, 0);
    n->data = d;
    *d = 1;
    g = n;
    *d = 2;
    pthread_join(t, 0);
    return 0;
}
