// unfold:
// A loop that counts by constants is not cut.
#include <pthread.h>
int x;

static void *run(void *arg) {
    for (int i = 0; i < 3; i++) x = x + 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 5;
    return 0;
}
