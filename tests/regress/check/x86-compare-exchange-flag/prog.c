#include <assert.h>
#include <pthread.h>

int owner, n_won;

static _Bool claim(int who) {
    _Bool won;
    int expected = 0;
    asm volatile("lock; cmpxchgl %3,%1"
                 : "=@ccz"(won), "+m"(owner), "+a"(expected) : "r"(who) : "memory");
    assert(won == (expected == 0));
    return won;
}

static void *worker(void *arg) {
    if (claim(1))
        n_won++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (claim(2))
        n_won++;
    pthread_join(thread, 0);
    assert(n_won == 1);
    return 0;
}
