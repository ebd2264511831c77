#include <stdlib.h>

int main(void) {
    char *block = malloc(2);
    if (!block)
        return 0;
    block = realloc(block, 4);
    free(block);
    return 0;
}
