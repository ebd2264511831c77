/* There may be up to two arguments, at which nobody can look. */
#include <assert.h>

int main(int argc) {
    assert(argc < 3);
    return 0;
}
