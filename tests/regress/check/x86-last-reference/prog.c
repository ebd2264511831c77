#include <assert.h>
#include <pthread.h>

int n_references = 2, data;
int n_last;

static int drop(void) {
    unsigned char is_last;
    asm volatile("lock; decl %0; sete %1" : "+m"(n_references), "=qm"(is_last) : : "memory");
    return is_last;
}

static void *worker(void *arg) {
    if (drop())
        n_last++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (drop())
        n_last++;
    pthread_join(thread, 0);
    assert(n_last == 1);
    return 0;
}
