/* A copy of a string is a block, and it is freed. */
#include <stdlib.h>
#include <string.h>

char *copy;

int main(void) {
    copy = strdup("text");
    free(copy);
    return 0;
}
