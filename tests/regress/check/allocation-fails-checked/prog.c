#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *shared;

static void *worker(void *arg) {
    char *mine = calloc(2, 2);
    if (!mine) {
        assert(errno == ENOMEM);
        return arg;
    }
    assert(mine[3] == 0);
    shared = mine;
    return arg;
}

int main(void) {
    pthread_t thread;
    char *text = strdup("ab"), *printed;
    if (text)
        assert(text[1] == 'b');
    free(text);
    int length = asprintf(&printed, "%d", 12);
    assert(length == 2 || length == -1);
    if (length > 0)
        free(printed);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    if (shared)
        shared[3] = 1;
    free(shared);
    return 0;
}
