// Array decay, array parameters, pointers to arrays of different extents, negative subscripts.
#include <stdio.h>

static size_t as_param(int a[10]) { return sizeof(a); }
static int second(int *a) { return a[1]; }
static int mid(const int *a) { return a[-1] + *a + 1 [a]; }
static void fill(int n, char out[static 4]) {
    for (int i = 0; i < 4; i++)
        out[i] = (char)('a' + (n + i) % 26);
}

int main(void) {
    int a[10], *p = a + 10;
    while (p > a) {
        --p;
        *p = (int)(p - a) * 3;
    }
    printf("%zu %zu\n", sizeof a, as_param(a));
    printf("%d %d %d\n", second(a), second(a + 4), second(&a[7]));
    printf("%d\n", mid(&a[5]));
    int (*q)[5] = (int (*)[5])a;
    printf("%d %d %td\n", q[1][2], (*(q + 1))[0], &q[1][0] - a);
    char buf[9] = "";
    fill(3, buf);
    fill(24, buf + 4);
    puts(buf);
    const char *words[] = {"alpha", "beta", "gamma", 0};
    int letters = 0;
    for (const char **w = words; *w; w++)
        for (const char *c = *w; *c; c++)
            letters += *c == 'a';
    printf("%d %c %c\n", letters, words[1][2], *(*(words + 2) + 3));
    int *end = &a[10], count = 0;
    for (int *r = a; r < end; r += 3)
        count += *r;
    printf("%d\n", count);
    return count + letters;
}
