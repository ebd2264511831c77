/* Memory that holds a mutex is used as a semaphore. */
#include <pthread.h>
#include <semaphore.h>
union { pthread_mutex_t m; sem_t s; } u;
int main(void) {
    pthread_mutex_lock(&u.m);
    sem_post(&u.s);
}
