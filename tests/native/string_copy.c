// strlen, strcpy, strncpy, strcat, strncat and strdup with their padding rules.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void dump(const char *label, const char *p, size_t n) {
    printf("%-4s", label);
    for (size_t i = 0; i < n; i++)
        if (p[i] >= ' ')
            putchar(p[i]);
        else
            printf("\\%d", p[i]);
    putchar('\n');
}

int main(void) {
    char a[12], b[12];
    memset(a, '#', sizeof a);
    memset(b, '#', sizeof b);
    strcpy(a, "hello");
    dump("cpy", a, sizeof a);
    strncpy(b, "hello", 3);
    dump("nc3", b, sizeof b);
    strncpy(b, "hi", 6);
    dump("nc6", b, sizeof b);
    strcat(a, ", ");
    strncat(a, "world", 4);
    dump("cat", a, sizeof a);
    printf("%zu %zu\n", strlen(a), strlen(""));
    char *d = strdup(a);
    if (!d)
        return 101;
    d[0] = 'J';
    printf("%s %s\n", a, d);
    int same = strcmp(a, d) > 0;
    char *end = d + strlen(d);
    while (end > d)
        putchar(*--end);
    putchar('\n');
    free(d);
    char joined[64] = "";
    const char *words[] = {"one", "two", "three", "four"};
    for (int i = 0; i < 4; i++)
        strcat(strcat(joined, words[i]), i < 3 ? "/" : "");
    puts(joined);
    return (int)strlen(joined) + same;
}
