/* A pointer into the middle of a block is freed. */
#include <stdlib.h>

int main(void) {
    int *p = malloc(2 * sizeof(int));
    int *q = p + 1;
    free(q);
    return 0;
}
