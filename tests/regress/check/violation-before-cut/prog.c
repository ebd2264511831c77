/* A violation right before the bound of a loop, without a step in between. */
#include <pthread.h>

extern void reach_error(void);

int x;

static void *worker(void *arg) {
    x = 1;
    for (int i = 0; i < 2; i++) {
        if (x > 0) {
            reach_error();
        }
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 0;
    return 0;
}
