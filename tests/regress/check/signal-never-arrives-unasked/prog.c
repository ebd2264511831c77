#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(int signal) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    signal(SIGUSR1, take);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
