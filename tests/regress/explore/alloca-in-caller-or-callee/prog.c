/* Two states that differ only in whose the stack block is are not the same. */
#include <alloca.h>

int __VERIFIER_nondet_int(void);

int flag, x;
int *g;

static void f(void) {
    if (flag) {
        g = alloca(sizeof *g);
        *g = 7;
    }
    flag = 0;
    x = 1;
}

int main(void) {
    flag = __VERIFIER_nondet_int();
    if (!flag) {
        g = alloca(sizeof *g);
        *g = 7;
    }
    f();
    *g = 1;
    return 0;
}
