#include <assert.h>
#include <signal.h>

static volatile int count, calls;

static void add(int signal) {
    calls = calls + 1;
    count++;
}

int main(void) {
    signal(SIGUSR1, add);
    signal(SIGUSR2, add);
    assert(calls == count);
    return 0;
}
