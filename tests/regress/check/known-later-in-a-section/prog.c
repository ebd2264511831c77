/* An atomic section makes a block, writes it, and makes it known. */
#include <pthread.h>
#include <stdlib.h>

pthread_t a, b;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static void *reader(void *arg) {
    return *(int *)arg ? arg : 0;
}

static void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    int *block = malloc(sizeof *block);
    *block = 2;
    pthread_create(&b, 0, reader, block);
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    return 0;
}
