/* A wrong assertion in a program without threads. */
#include <assert.h>

int x;

int main(void) {
    x = 1;
    assert(x == 2);
    return 0;
}
