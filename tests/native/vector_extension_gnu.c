// GNU vector types: element-wise arithmetic, comparisons, indexing and conversion.
#include <stdio.h>

typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef unsigned char b8 __attribute__((vector_size(8)));

static int sum(v4 v) { return v[0] + v[1] + v[2] + v[3]; }
static v4 blend(v4 mask, v4 a, v4 b) { return (mask & a) | (~mask & b); }

int main(void) {
    v4 a = {1, 2, 3, 4}, b = {10, -20, 30, -40};
    v4 c = a * b + 5;
    printf("%d %d %d %d\n", c[0], c[1], c[2], c[3]);
    v4 m = a > b;
    printf("%d %d %d %d\n", m[0], m[1], m[2], m[3]);
    printf("%d\n", sum(blend(m, a, b)));
    c[2] = 1000;
    c <<= 1;
    printf("%d\n", sum(c));
    f4 f = {0.5f, 1.5f, 2.5f, 3.5f};
    f = f * f - 1;
    printf("%.2f %.2f %.2f %.2f\n", f[0], f[1], f[2], f[3]);
    b8 x = {250, 251, 252, 253, 254, 255, 0, 1};
    x += 5;
    int t = 0;
    for (int i = 0; i < 8; i++)
        t = t * 2 + x[i];
    printf("%d\n", t);
    return t % 100;
}
