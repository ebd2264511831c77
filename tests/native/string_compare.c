// strcmp, strncmp and memcmp: only the signs of their results are observed.
#include <stdio.h>
#include <string.h>

static int sign(int v) { return (v > 0) - (v < 0); }

int main(void) {
    const char *w[] = {"", "a", "ab", "abc", "abd", "b", "B", "\xff", "abc\0x"};
    int n = (int)(sizeof w / sizeof *w), h = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int s = sign(strcmp(w[i], w[j]));
            putchar("<=>"[s + 1]);
            h = (h * 3 + s + 1) % 100003;
        }
        putchar('\n');
    }
    printf("%d %d %d\n", sign(strncmp("abcdef", "abcxyz", 3)), sign(strncmp("abcdef", "abcxyz", 4)), sign(strncmp("a", "b", 0)));
    printf("%d\n", sign(strncmp("ab", "ab\0zz", 5)));
    printf("%d %d\n", sign(memcmp("ab\0c", "ab\0d", 3)), sign(memcmp("ab\0c", "ab\0d", 4)));
    unsigned char x[3] = {1, 200, 3}, y[3] = {1, 100, 4};
    printf("%d %d\n", sign(memcmp(x, y, 3)), sign(memcmp(y, x, 3)));
    const char *best = w[0];
    for (int i = 1; i < n; i++)
        if (strcmp(w[i], best) > 0 && (unsigned char)w[i][0] < 128)
            best = w[i];
    puts(best);
    return h % 103;
}
