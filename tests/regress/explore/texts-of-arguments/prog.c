/* An argument may say anything. */
#include <assert.h>

int main(int argc, char **argv) {
    if (argc > 1)
        assert(argv[1][0] == 0 || argv[1][1] != 0);
    return 0;
}
