#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_condattr_t attributes;
    int sharing = 5;
    pthread_condattr_init(&attributes);
    pthread_condattr_getpshared(&attributes, &sharing);
    assert(sharing == 5);
    return 0;
}
