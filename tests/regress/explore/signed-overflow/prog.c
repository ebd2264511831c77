/* Two increments overflow, one does not; the schedule goes on. */
#include <limits.h>
#include <pthread.h>

int x = INT_MAX - 1;

static void *worker(void *arg) {
    x++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
