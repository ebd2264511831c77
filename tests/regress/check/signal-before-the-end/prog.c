#include <assert.h>
#include <signal.h>

static volatile int is_over;

static void look(int signal) {
    assert(!is_over);
}

int main(void) {
    signal(SIGUSR1, look);
    is_over = 1;
    return 0;
}
