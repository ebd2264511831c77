// Operator precedence and associativity checked against explicit values.
// also: -m32
#include <stdio.h>

int main(void) {
    int a = 2, b = 3, c = 5, d = 7;
    int r[12], n = 0;
    r[n++] = a + b * c - d;
    r[n++] = a - b - c;
    r[n++] = (a | b) & (c ^ d);
    r[n++] = a | (b & c) | d;
    r[n++] = a << b + 1;
    r[n++] = d % c * b / a;
    r[n++] = -a * -b + +c;
    r[n++] = (a < b) == (c < d);
    r[n++] = a ? b ? c : d : a;
    r[n++] = !a == 0;
    r[n++] = ~a & 0xff;
    r[n++] = a = b = c;
    int h = 0;
    for (int i = 0; i < n; i++) {
        printf("%d ", r[i]);
        h = h * 31 % 65521 + r[i];
    }
    printf("\n%d %d %d\n", a, b, c);
    int v[3] = {1, 2, 3}, *p = v;
    printf("%d ", *p++ + 10);
    printf("%d ", -*p);
    printf("%d\n", (*p)++ * 2);
    printf("%d %d\n", v[1], 2[v]);
    printf("%d\n", (int)sizeof v / (int)sizeof *v);
    return h % 90;
}
