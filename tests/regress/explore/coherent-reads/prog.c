/* Two reads of one variable never go back in time. */
#include <assert.h>
#include <pthread.h>

int x;

static void *writer(void *arg) {
    x = 1;
    x = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int r = x;
    int s = x;
    assert(r <= s);
    pthread_join(t, 0);
    return 0;
}
