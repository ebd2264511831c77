#include <stdlib.h>

int **p;

int main(void) {
    p = malloc(sizeof *p);
    *p = malloc(sizeof **p);
    free(p);
    return 0;
}
