#include <stdlib.h>

int *p;

int main(void) {
    p = malloc(sizeof *p);
    p = malloc(sizeof *p);
    return 0;
}
