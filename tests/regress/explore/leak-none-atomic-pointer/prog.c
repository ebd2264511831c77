/* An atomic pointer keeps a block reachable like any other. */
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) g;

int main(void) {
    int *p = malloc(sizeof *p);
    atomic_store(&g, p);
    p = 0;
    return 0;
}
