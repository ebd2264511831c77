/* A semaphore orders a write before a read. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int x, y;

static void *reader(void *arg) {
    sem_wait(&s);
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, reader, 0);
    x = 1;
    sem_post(&s);
    y = 1;
    pthread_join(t, 0);
    return 0;
}
