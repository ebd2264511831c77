#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *mode = getenv("MODE");
    assert(!mode || strcmp(mode, "on"));
    return 0;
}
