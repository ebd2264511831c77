#include <pthread.h>

int nondet_int(void);
void __ESBMC_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);

static int begin;
static int seen;

static void *work(void *unused) {
    seen = begin + 1;
    return 0;
}

int main(void) {
    begin = nondet_int();
    __ESBMC_assume(begin == 1 || begin == 2);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    __CPROVER_assert(seen != 3, "is reached with two");
    return 0;
}
