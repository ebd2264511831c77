/* Another thread sets an index beyond the array. */
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a[4];
int i;

static void *worker(void *arg) {
    i = 5;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, worker, 0);
    a[i] = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
