/* Both threads have the semaphore's value stored in the same variable. */
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int value;

static void *worker(void *arg) {
    sem_getvalue(&s, &value);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, worker, 0);
    sem_getvalue(&s, &value);
    pthread_join(t, 0);
    return 0;
}
