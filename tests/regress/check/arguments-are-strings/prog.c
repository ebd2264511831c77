/* What holds of all arguments. */
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc >= 1 && argc <= 3);
    assert(argv[argc] == 0);
    for (int i = 1; i < argc; i++) {
        assert(argv[i] != 0);
        assert(strlen(argv[i]) <= 8);
    }
    return 0;
}
