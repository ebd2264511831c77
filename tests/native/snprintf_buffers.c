// snprintf and sprintf: truncation, return values, building strings piece by piece.
#include <stdio.h>
#include <string.h>

static int join(char *out, size_t size, const int *v, int n) {
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        int wrote = snprintf(out + used, size - used, i ? ",%d" : "%d", v[i]);
        if (wrote < 0 || (size_t)wrote >= size - used)
            return -1;
        used += (size_t)wrote;
    }
    return (int)used;
}

int main(void) {
    char b[16];
    int r = snprintf(b, sizeof b, "%s-%d", "abcdefghij", 123456789);
    printf("%d %s %zu\n", r, b, strlen(b));
    r = snprintf(b, 1, "xyz");
    printf("%d [%s]\n", r, b);
    r = snprintf(NULL, 0, "%05.1f|%x", 3.25, 0xabcu);
    printf("%d\n", r);
    int n = sprintf(b, "%c%c", 'h', 'i');
    n += sprintf(b + n, "%03d", 7);
    printf("%s %d\n", b, n);
    int v[] = {10, -20, 300, 4000, -50000};
    char small[12], large[40];
    int r1 = join(small, sizeof small, v, 5), r2 = join(large, sizeof large, v, 5);
    printf("%d %d %s\n", r1, r2, large);
    char table[4][6];
    for (int i = 0; i < 4; i++)
        snprintf(table[i], sizeof table[i], "r%d_%d", i, i * 1111);
    for (int i = 0; i < 4; i++)
        printf("%s ", table[i]);
    puts("");
    return r2 + n;
}
