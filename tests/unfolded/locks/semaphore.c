// unfold:
// A semaphore that one posts and the other waits for.
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;

static void *run(void *arg) {
    x = 1;
    sem_post(&s);
    return 0;
}

int main(void) {
    sem_init(&s, 0, 0);
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    sem_wait(&s);
    x = x + 1;
    return 0;
}
