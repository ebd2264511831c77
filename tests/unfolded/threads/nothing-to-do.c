// unfold:
// Threads that do nothing still end.
#include <pthread.h>
static void *run(void *arg) {

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
