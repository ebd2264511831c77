// unfold:
// An atomic struct of two words.
#include <pthread.h>
_Atomic struct pair { int a, b; } s;
int x;

static void *run(void *arg) {
    struct pair p = s;
    p.a = p.b + 1;
    s = p;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    return 0;
}
