#define _GNU_SOURCE
#include <stdlib.h>

int main(void) {
    int *place;
    posix_memalign((void **)&place, 64, 8);
    *place = 1;
    free(place);
    return 0;
}
