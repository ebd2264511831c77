#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

int array[100000];
unsigned mine, theirs;

static void *worker(void *arg) {
    array[theirs]++;
    return 0;
}

int main(void) {
    mine = __VERIFIER_nondet_uint() % 100000;
    theirs = __VERIFIER_nondet_uint() % 100000;
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    array[mine]++;
    pthread_join(thread, 0);
    assert(array[mine] == 1 + (mine == theirs));
}
