/* N readers and two writers; the first reader locks the writers out. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t counting;
sem_t writing;
int readers;
atomic_int data, changing;

static void *read_it(void *arg) {
    pthread_mutex_lock(&counting);
    readers++;
    if (readers == 1) sem_wait(&writing);
    pthread_mutex_unlock(&counting);
    assert(atomic_load(&changing) == 0);
    pthread_mutex_lock(&counting);
    readers--;
    if (readers == 0) sem_post(&writing);
    pthread_mutex_unlock(&counting);
    return 0;
}

static void *write_it(void *arg) {
    sem_wait(&writing);
    atomic_store(&changing, 1);
    atomic_store(&data, 1);
    atomic_store(&changing, 0);
    sem_post(&writing);
    return 0;
}

int main(void) {
    pthread_t t[N + 2];
    pthread_mutex_init(&counting, 0);
    sem_init(&writing, 0, 1);
    for (int i = 0; i < N + 2; i++) pthread_create(&t[i], 0, i < N ? read_it : write_it, 0);
    for (int i = 0; i < N + 2; i++) pthread_join(t[i], 0);
}
