/* An address that is read as a number by an atomic operation is known to others. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

uintptr_t shared;

static void *worker(void *arg) {
    *(int *)shared = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    union {
        int *p;
        uintptr_t number;
    } u;
    int *p = malloc(sizeof *p);
    *p = 0;
    u.p = p;
    shared = __atomic_fetch_add(&u.number, 0, __ATOMIC_SEQ_CST);
    pthread_create(&t, 0, worker, 0);
    *p = 2;
    pthread_join(t, 0);
    return 0;
}
