#include <pthread.h>
#include <semaphore.h>

sem_t s, t;

static void *worker(void *arg) {
    sem_wait(&s);
    sem_post(&t);
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&s, 0, 0);
    sem_init(&t, 0, 0);
    pthread_create(&thread, 0, worker, 0);
    sem_post(&s);
    sem_wait(&t);
    pthread_join(thread, 0);
    return 0;
}
