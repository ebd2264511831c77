#include <assert.h>
#include <signal.h>

static volatile int count;

static void add(int signal) {
    count++;
}

int main(void) {
    signal(SIGUSR1, add);
    signal(SIGUSR2, add);
    assert(count <= 1);
    return count;
}
