/* The post is skipped when the request comes too late. */
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int request;

static void *client(void *arg) {
    request = 1;
    sem_wait(&s);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, client, 0);
    if (request)
        sem_post(&s);
    pthread_join(t, 0);
    return 0;
}
