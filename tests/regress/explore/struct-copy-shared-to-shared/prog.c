/* A struct assignment between two shared structs: a read step and a write step. */
#include <assert.h>
#include <pthread.h>

struct S {
    int v[4];
} src, dst;

static void *writer(void *arg) {
    dst.v[2] = 9;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    dst = src;
    pthread_join(t, 0);
    assert(dst.v[2] == 9);
    return 0;
}
