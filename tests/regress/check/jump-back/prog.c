#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static int shared;

static void fail(jmp_buf place, int how) {
    int local = how;
    if (local != 3)
        longjmp(place, local);
}

static void *work(void *unused) {
    jmp_buf place;
    volatile int tries = 0;
    int how = setjmp(place);
    if (how == 0)
        fail(place, 0);
    assert(how == tries || (how == 1 && tries == 0));
    tries = how + 1;
    if (tries < 4)
        fail(place, tries);
    shared = tries;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = shared;
    assert(seen == 0 || seen == 3);
    pthread_join(thread, 0);
    assert(shared == 3);
    return 0;
}
