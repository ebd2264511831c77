#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char *theirs;

static void *ask(void *unused) {
    theirs = getenv("MODE");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, ask, 0);
    char *mine = getenv("MODE");
    pthread_join(thread, 0);
    assert(mine == theirs);
    assert(getenv("OTHER") == 0 || getenv("OTHER") != mine);
    return 0;
}
