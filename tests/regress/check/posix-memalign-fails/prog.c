#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void) {
    void *place = 0;
    int result = posix_memalign(&place, 64, 8);
    assert(result == 0 || result == ENOMEM);
    assert((result == 0) == (place != 0));
    free(place);
    return 0;
}
