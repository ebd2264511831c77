// unfold:
// A program without threads has no cells.
#include <assert.h>
int x;

int main(void) {
    x = 1;
    x = x + 1;
    assert(x == 2);
    return 0;
}
