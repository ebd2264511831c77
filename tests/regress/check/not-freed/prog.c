#include <stdlib.h>

int *g;

int main(void) {
    g = malloc(sizeof *g);
    return 0;
}
