// unfold:
// The end of a local that others know is a step.
#include <pthread.h>
int *p;
int x;

static void publish(void) {
    int local = 1;
    p = &local;
}

static void *run(void *arg) {
    if (p) x = *p;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    publish();
    return 0;
}
