/* The handler may run before the load, or after it, or not at all. */
#include <assert.h>
#include <signal.h>

static volatile int x;

static void handler(int number) {
    x = 1;
}

int main(void) {
    signal(SIGUSR1, handler);
    assert(x == 0);
    return 0;
}
