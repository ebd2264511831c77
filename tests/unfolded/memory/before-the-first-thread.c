// unfold:
// Writes of main before it creates a thread are initial values.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = x + 1;
    return 0;
}

int main(void) {
    x = 5;
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 7;
    return 0;
}
