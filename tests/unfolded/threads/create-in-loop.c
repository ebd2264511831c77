// unfold:
// Threads that a loop creates are numbered by its iterations.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = x + (int)(long)arg;
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return x;
}
