#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(1);
    assert(block);
    free(block);
    return 0;
}
