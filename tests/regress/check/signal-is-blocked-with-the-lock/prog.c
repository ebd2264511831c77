#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void increment(int signal) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    signal(SIGUSR1, increment);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    assert(count == 1 || count == 2);
    return 0;
}
