#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    exit(0);
}
