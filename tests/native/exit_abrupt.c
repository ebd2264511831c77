// _Exit skips atexit handlers; a never-returning helper is used in an expression.
#include <stdio.h>
#include <stdlib.h>

static void handler(void) { puts("must not run"); }

static _Noreturn void stop(int code) {
    printf("stop %d\n", code);
    fflush(stdout);
    _Exit(code);
}

static int checked_div(int a, int b) {
    if (b == 0)
        stop(77);
    return a / b;
}

int main(void) {
    atexit(handler);
    int total = 0;
    for (int i = 3; i > -3; i--) {
        total += checked_div(100, i);
        printf("%d\n", total);
    }
    return total;
}
