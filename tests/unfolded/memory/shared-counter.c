// unfold:
// Two threads add to a variable; main looks after both have ended.
#include <pthread.h>
#include <assert.h>
int x;

static void *run(void *arg) {
    x = x + 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
