#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_set, owner;

static void take(int signal) {
    owner = 1;
}

static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    owner = 2;
    is_set = 1;
    assert(owner == 2);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    struct sigaction action = {.sa_handler = take};
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    sigaction(SIGUSR1, &action, 0);
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    pthread_mutex_lock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    while (!is_set)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
