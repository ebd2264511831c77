// An input may be any number, also the one that is the address of g.
#include <assert.h>
int g;
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void)
{
    if (__VERIFIER_nondet_ulong() == (unsigned long)&g)
        assert(0);
    return 0;
}
