/* A copy of a string is a block that has to be freed. */
#include <string.h>

char *copy;

int main(void) {
    copy = strdup("text");
    return 0;
}
