// unfold:
// Members of a shared struct are cells of their own.
#include <pthread.h>
struct { int a; short b; char c; } s;

static void *run(void *arg) {
    s.a = 1;
    s.c = 2;
    return 0;
}

static void *other(void *arg) {
    s.b = (short)s.a;
    s.c = (char)s.b;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
