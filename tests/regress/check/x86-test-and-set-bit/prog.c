#include <assert.h>
#include <pthread.h>

unsigned long bits[2];
int n_first;

static int test_and_set(int number) {
    int was_set;
    asm volatile("lock; btsl %2,%1\n\tsbbl %0,%0"
                 : "=r"(was_set), "+m"(bits[0]) : "Ir"(number) : "memory", "cc");
    return was_set;
}

static void *worker(void *arg) {
    if (!test_and_set(40))
        n_first++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (!test_and_set(40))
        n_first++;
    pthread_join(thread, 0);
    assert(n_first == 1);
    assert(bits[0] == 1ul << 40);
    return 0;
}
