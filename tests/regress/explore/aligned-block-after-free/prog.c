/* A freed block is used again only where its address fits. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    free(malloc(64));
    free(malloc(4096));
    char *p = aligned_alloc(4096, 4096);
    assert((uintptr_t)p % 4096 == 0);
    free(p);
    return 0;
}
