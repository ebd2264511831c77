// exit from a helper with atexit handlers registered along the way; one registers another.
#include <stdio.h>
#include <stdlib.h>

static void late(void) { puts("late"); }
static void registrar(void) {
    puts("registrar");
    atexit(late);
}
static void plain(void) { puts("plain"); }

static int check(int v) {
    if (v > 3) {
        atexit(registrar);
        puts("leaving");
        exit(v * 25);
    }
    return v + 1;
}

int main(void) {
    atexit(plain);
    int v = 0;
    while (1)
        v = check(v);
}
