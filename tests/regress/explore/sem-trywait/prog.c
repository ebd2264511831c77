/* sem_trywait with both outcomes. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int x;

static void *poster(void *arg) {
    sem_post(&s);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, poster, 0);
    if (sem_trywait(&s) == 0)
        x = 1;
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
