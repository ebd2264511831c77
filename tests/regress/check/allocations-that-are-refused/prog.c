#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    void *place = &place;
    assert(calloc(SIZE_MAX / 2, 4) == 0 && errno == ENOMEM);
    errno = 0;
    assert(reallocarray(0, SIZE_MAX / 2, 4) == 0 && errno == ENOMEM);
    assert(posix_memalign(&place, 3, 8) == EINVAL);
    assert(posix_memalign(&place, 4, 8) == EINVAL);
    assert(place == &place);
    char *block = malloc(4);
    assert(realloc(block, 0) == 0);
    return 0;
}
