#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *first = malloc(sizeof *first);
    free(first);
    int *second = malloc(sizeof *second);
    assert(first != second);
}
