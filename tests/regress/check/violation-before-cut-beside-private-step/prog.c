/* A violation right before the bound of a loop, and another path with a step. */
#include <pthread.h>

int x, y;

static void *worker(void *arg) {
    x = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < 2; i++) {
        int values[2];
        int index = x;
        if (index == 0)
            y++;
        else
            values[index] = 1;
    }
    return 0;
}
