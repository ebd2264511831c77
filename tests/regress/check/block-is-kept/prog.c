#include <stdlib.h>

int **p;

int main(void) {
    p = malloc(sizeof *p);
    *p = malloc(sizeof **p);
    int *q = malloc(sizeof *q);
    free(q);
    return 0;
}
