// main with argc and argv, of which only the properties fixed by the standard are used.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    printf("%d\n", argc);
    printf("%d\n", argv[argc] == NULL);
    int ok = argc >= 1 && argv[0] != NULL && strlen(argv[0]) < 10000;
    printf("%d\n", ok);
    if (argc > 1)
        return 100;
    /* Recursion into main is allowed in C. */
    static int entered;
    if (entered++ < 3)
        return main(argc, argv) + 1;
    return 20;
}
