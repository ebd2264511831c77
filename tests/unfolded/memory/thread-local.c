// unfold:
// Every thread has a thread-local variable of its own.
#include <pthread.h>
_Thread_local int mine = 3;
int x;

static void *run(void *arg) {
    mine = mine + 1;
    x = mine;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
