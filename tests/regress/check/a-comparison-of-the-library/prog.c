#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char words[3][4] = {"c", "a", "b"};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, (void *(*)(void *))pthread_mutex_lock, &mutex);
    qsort(words, 3, 4, (int (*)(const void *, const void *))strcmp);
    assert(words[0][0] == 'a' && words[1][0] == 'b' && words[2][0] == 'c');
    pthread_join(thread, 0);
    assert(pthread_mutex_trylock(&mutex) != 0);
    return 0;
}
