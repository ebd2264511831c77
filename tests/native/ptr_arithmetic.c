// Pointer arithmetic, differences and comparisons over several element sizes.
#include <stddef.h>
#include <stdio.h>

struct rec {
    char tag;
    int v;
    short w;
};

static int distance(const void *a, const void *b) { return (int)((const char *)b - (const char *)a); }

int main(void) {
    char c[8] = "abcdefg";
    short s[8];
    long l[8];
    struct rec r[8];
    for (int i = 0; i < 8; i++) {
        s[i] = (short)(i * i);
        l[i] = 1L << (i * 5);
        r[i] = (struct rec){(char)('A' + i), i * 7, (short)-i};
    }
    printf("%d %d %d %d\n", distance(c, c + 3), distance(s, s + 3), distance(l, l + 3), distance(r, r + 3));
    ptrdiff_t d = &r[6] - &r[1];
    printf("%td %td\n", d, &s[0] - &s[7]);
    struct rec *p = r + 7;
    p -= 2;
    printf("%c %d %d\n", p->tag, p[-1].v, p[2].w);
    long *q = l;
    q += 3;
    printf("%ld %ld\n", *q, q[-2]);
    printf("%d %d %d\n", q > l, &l[3] == q, q <= l + 2);
    int steps = 0;
    for (char *a = c, *b = c + 6; a < b; a++, b--) {
        char t = *a;
        *a = *b;
        *b = t;
        steps++;
    }
    printf("%s %d\n", c, steps);
    unsigned char *bytes = (unsigned char *)s;
    int sum = 0;
    for (size_t i = 0; i < sizeof s; i++)
        sum += bytes[i];
    printf("%d\n", sum);
    int i = -3;
    unsigned u = 2;
    printf("%c %c\n", p[i].tag, p[u].tag);
    return sum % 100 + steps;
}
