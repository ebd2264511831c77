/* Storing the address of constant data does not make reads of it visible. */
#include <pthread.h>

const char *g;
int x;

static void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    const char *p = "abc";
    g = p;
    pthread_create(&t, 0, worker, 0);
    return p[0] == 'a' && p[1] == 'b' ? 0 : 1;
}
