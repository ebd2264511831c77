/* memcpy between shared arrays is two steps. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

char src[16], dst[16];

static void *worker(void *arg) {
    memcpy(dst, src, sizeof dst);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    src[3] = 1;
    pthread_join(t, 0);
    assert(dst[0] == 0);
    return 0;
}
