#include <pthread.h>
#include <semaphore.h>

sem_t s;
int x;

static void *worker(void *arg) {
    sem_post(&s);
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&s, 0, 0);
    pthread_create(&thread, 0, worker, 0);
    sem_wait(&s);
    x++;
    pthread_join(thread, 0);
    return 0;
}
