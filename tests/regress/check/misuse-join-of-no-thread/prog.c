#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t thread;

int main(void) {
    pthread_join(thread, 0);
    return 0;
}
