// unfold:
// The result of a thread is read when it is joined.
#include <pthread.h>
#include <assert.h>
int x;

static void *run(void *arg) {
    return (void *)(long)(x + 1);
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, run, 0);
    x = 1;
    pthread_join(t, &result);
    assert((long)result > 0);
    return 0;
}
