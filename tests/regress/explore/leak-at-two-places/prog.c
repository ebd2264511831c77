/* Blocks that are alike but come from different places are lost separately. */
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int c, x;

int main(void) {
    void *p;
    c = __VERIFIER_nondet_int();
    if (c)
        p = malloc(4);
    else
        p = malloc(4);
    c = 0;
    x = 1;
    p = 0;
    return 0;
}
