#include <stdlib.h>

int *block;

int main(void) {
    block = malloc(sizeof(int));
    *(unsigned char *)&block = 0;
    return 0;
}
