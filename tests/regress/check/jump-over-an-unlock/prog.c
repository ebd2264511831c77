#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_bad;

static void step(jmp_buf place) {
    pthread_mutex_lock(&mutex);
    if (is_bad)
        longjmp(place, 1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    jmp_buf place;
    if (setjmp(place) == 0)
        step(place);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    is_bad = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    pthread_mutex_lock(&mutex);
    return 0;
}
