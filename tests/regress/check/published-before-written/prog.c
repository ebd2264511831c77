#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int a;
    int b;
};

struct pair *shared;
int seen;

static void *reader(void *arg) {
    struct pair *pair = shared;
    if (pair)
        seen = pair->a + pair->b;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    struct pair *pair = malloc(sizeof *pair);
    pair->a = 0;
    shared = pair;
    pair->b = 0;
    pthread_join(thread, 0);
    assert(seen == 0);
}
