/* Wrong if there are two arguments and they say the same. */
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc == 3)
        assert(strcmp(argv[1], argv[2]) != 0);
    return 0;
}
