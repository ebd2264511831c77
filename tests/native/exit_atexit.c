// atexit handlers run in reverse order after main returns and see global state.
#include <stdio.h>
#include <stdlib.h>

static int level = 3;
static char *text;

static void first(void) {
    printf("first %d\n", level);
    free(text);
}
static void second(void) {
    level *= 2;
    printf("second %d %s\n", level, text);
}
static void third(void) {
    level += 10;
    printf("third %d\n", level);
}

int main(void) {
    text = malloc(8);
    if (!text)
        return 2;
    snprintf(text, 8, "kept");
    if (atexit(first) || atexit(second) || atexit(third) || atexit(third))
        return 3;
    puts("main ends");
    return 41;
}
