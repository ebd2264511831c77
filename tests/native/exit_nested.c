// exit called from deep inside nested calls, with buffered output still to be written.
#include <stdio.h>
#include <stdlib.h>

static int depth;

static void descend(int n) {
    depth++;
    if (n * n > 50) {
        printf("stopping at %d", n);
        exit(depth * 10 + n);
    }
    descend(n + 1);
    printf("unreachable %d\n", n);
}

int main(void) {
    printf("begin\n");
    for (int i = 0; i < 5; i++) {
        printf("round %d\n", i);
        if (i == 2)
            descend(i);
    }
    return 1;
}
