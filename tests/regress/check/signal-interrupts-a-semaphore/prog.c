#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t ready;
static int data;

static void nothing(int signal) {}

static void *give(void *unused) {
    data = 1;
    sem_post(&ready);
    return 0;
}

int main(void) {
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGUSR1, &action, 0);
    sem_init(&ready, 0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    sem_wait(&ready);
    assert(data == 1);
    pthread_join(thread, 0);
    return 0;
}
