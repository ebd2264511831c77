#include <pthread.h>

int nondet_int(void);
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
void __ESBMC_atomic_begin(void);
void __ESBMC_atomic_end(void);

static int sum;

static void *work(void *unused) {
    __CPROVER_atomic_begin();
    sum++;
    __CPROVER_atomic_end();
    return 0;
}

int main(void) {
    int begin = nondet_int();
    __CPROVER_assume(begin > 0 && begin < 100);
    sum = begin;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    __ESBMC_atomic_begin();
    sum++;
    __ESBMC_atomic_end();
    pthread_join(thread, 0);
    __CPROVER_assert(sum == begin + 2, "both are counted");
    return 0;
}
