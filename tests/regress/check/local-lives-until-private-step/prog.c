/* A local that others may use until its thread has taken a step that concerns nobody else. */
#include <assert.h>
#include <pthread.h>

int *p;
int own;

static void *worker(void *arg) {
    int local = 0;
    p = &local;
    own++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int *q = p;
    *q = 0;
    assert(0);
    return 0;
}
