/* An atomic pointer remembers which variable it points to. */
#include <stdatomic.h>

_Atomic(int *) g;

static void f(void) {
    int x = 1;
    atomic_store(&g, &x);
}

static void h(void) {
    int y = 2;
    *atomic_load(&g) = 3;
    (void)y;
}

int main(void) {
    f();
    h();
    return 0;
}
