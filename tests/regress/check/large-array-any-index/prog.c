#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

int array[100000];
unsigned mine, theirs;

static void *worker(void *arg) {
    array[theirs] = 1;
    return 0;
}

int main(void) {
    mine = __VERIFIER_nondet_uint() % 100000;
    theirs = __VERIFIER_nondet_uint() % 100000;
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    array[mine] = 2;
    int value = array[mine];
    pthread_join(thread, 0);
    assert(value == 2 || value == 1 && mine == theirs);
    assert(array[theirs] == 1 || mine == theirs);
    assert(array[mine] != 0);
}
