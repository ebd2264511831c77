/* Each round of the loop has a mutex of its own, in the same place. */
#include <pthread.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        pthread_mutex_destroy(&m);
    }
    return 0;
}
