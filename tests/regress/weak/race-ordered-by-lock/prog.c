#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count;
static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *arg) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *thread2(void *arg) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread1, 0);
    pthread_create(&threads[1], 0, thread2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    
}
