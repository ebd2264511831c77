// unfold:
// Every thread has an error number of its own.
#include <pthread.h>
#include <errno.h>
int x;

static void *run(void *arg) {
    errno = 1;
    x = errno;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    errno = 2;
    x = errno;
    return 0;
}
