// The input is chosen after the block is there, and may point into it.
#include <assert.h>
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void)
{
    char *block = malloc(8);
    unsigned long number = __VERIFIER_nondet_ulong();
    assert(number != (unsigned long)(block + 3));
    return 0;
}
