#include <pthread.h>
#include <semaphore.h>

sem_t s;
int ready;

static void *worker(void *arg) {
    sem_init(&s, 0, 0);
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (ready)
        sem_post(&s);
    pthread_join(thread, 0);
    return 0;
}
