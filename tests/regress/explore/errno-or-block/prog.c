/* Two states that differ only in which of two ints is errno are not the same. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int c, x;
int *g;

int main(void) {
    int *p;
    c = __VERIFIER_nondet_int();
    if (c) {
        g = &errno;
        *g = 0;
        p = malloc(sizeof *p);
        *p = 0;
    } else {
        g = malloc(sizeof *g);
        *g = 0;
        errno = 0;
    }
    p = 0;
    c = 0;
    x = 1;
    *g = 5;
    assert(errno != 5);
    return 0;
}
