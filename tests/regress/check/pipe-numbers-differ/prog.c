#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int mine[2], theirs[2];

static void *make(void *unused) {
    pipe(theirs);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, make, 0);
    pipe(mine);
    pthread_join(thread, 0);
    assert(mine[0] + 1 == mine[1] && theirs[0] + 1 == theirs[1]);
    assert(mine[0] == 3 ? theirs[0] == 5 : mine[0] == 5 && theirs[0] == 3);
    return 0;
}
