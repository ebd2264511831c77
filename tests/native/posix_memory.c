// Allocations that cannot succeed, and what is left alone then.
// also: -m32
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void told(const char *what, const void *block) {
    printf("%s %d %d\n", what, block != 0, block != 0 ? 0 : errno);
    errno = 0;
}

int main(void) {
    volatile size_t half = SIZE_MAX / 2;
    void *place = &place;
    errno = 0;
    told("calloc", calloc(half, 4));
    told("reallocarray", reallocarray(0, half, 4));
    told("malloc", malloc(half + 1));
    printf("posix_memalign %d", posix_memalign(&place, 3, 8));
    printf(" %d", posix_memalign(&place, sizeof(void *) / 2, 8));
    printf(" %d", posix_memalign(&place, 64, half + 1));
    printf(" %d\n", place == &place);
    errno = 0;
    printf("posix_memalign %d", posix_memalign(&place, 64, 8));
    printf(" %d\n", (int)((uintptr_t)place % 64));
    free(place);
    char *text = malloc(4);
    strcpy(text, "abc");
    char *more = realloc(text, half + 1);
    printf("realloc %d %s\n", more != 0, text);
    errno = 0;
    told("realloc to nothing", realloc(text, 0));
    told("realloc of nothing", more = realloc(0, 5));
    free(more);
    told("malloc of nothing", more = malloc(0));
    free(more);
    return 0;
}
