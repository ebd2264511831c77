// unfold: without=relaxing
// As control/abort, but guards stay as they are where other paths have ended.
#include <pthread.h>
int x;
void abort(void);

static void *run(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    if (x) abort();
    x = 2;
    return 0;
}
