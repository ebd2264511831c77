/* Three philosophers who take the fork with the smaller number first. */
#include <pthread.h>

pthread_mutex_t f0 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t f2 = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg) {
    pthread_mutex_lock(&f1);
    pthread_mutex_lock(&f2);
    pthread_mutex_unlock(&f2);
    pthread_mutex_unlock(&f1);
    return 0;
}

static void *two(void *arg) {
    pthread_mutex_lock(&f0);
    pthread_mutex_lock(&f2);
    pthread_mutex_unlock(&f2);
    pthread_mutex_unlock(&f0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_mutex_lock(&f0);
    pthread_mutex_lock(&f1);
    pthread_mutex_unlock(&f1);
    pthread_mutex_unlock(&f0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
