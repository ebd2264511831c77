#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static struct {
    void *(*get)(size_t);
    void (*put)(void *);
} memory = {malloc, free};

static void *work(void *unused) {
    pthread_setspecific(key, memory.get(4));
    return 0;
}

int main(void) {
    pthread_key_create(&key, free);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    memory.put(memory.get(8));
    return 0;
}
