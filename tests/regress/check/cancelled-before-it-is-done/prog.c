#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int shared;

static void *work(void *unused) {
    sem_wait(&semaphore);
    shared = 1;
    return 0;
}

int main(void) {
    sem_init(&semaphore, 0, 1);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(shared == 1);
    return 0;
}
