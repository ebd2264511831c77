// unfold:
// An argument is a value of the creator.
#include <pthread.h>
int x;

static void *run(void *arg) {
    x = (int)(long)arg;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, (void *)1);
    long seen = x;
    pthread_create(&b, 0, run, (void *)(seen + 1));
    return 0;
}
