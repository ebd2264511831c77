// Compound assignment through variables, members, elements and dereferences of all widths.
#include <stdio.h>

struct box {
    signed char c;
    unsigned short s;
    long l;
    int v[3];
};

static int calls;
static int *slot(int *base, int i) {
    calls++;
    return base + i;
}

int main(void) {
    signed char c = 100;
    c += 100;
    c *= 3;
    printf("%d\n", c);
    unsigned short s = 1;
    s -= 2;
    s /= 3;
    s <<= 2;
    s ^= 0xf0f;
    printf("%u\n", s);
    int x = 17;
    x %= 5;
    x |= 8;
    x &= ~2;
    x <<= 3;
    x >>= 1;
    printf("%d\n", x);
    long long ll = 5;
    ll *= -7;
    ll += 0.75;
    printf("%lld\n", ll);
    double d = 10;
    d /= 4;
    d -= x;
    d *= c;
    printf("%f\n", d);
    struct box b = {1, 2, 3, {4, 5, 6}}, *p = &b;
    p->c -= 2;
    p->s *= 40000;
    p->l <<= 33;
    p->v[p->c + 2] += p->v[2];
    *(p->v + 2) %= 4;
    printf("%d %u %ld %d %d %d\n", b.c, b.s, b.l, b.v[0], b.v[1], b.v[2]);
    *slot(b.v, 0) += 10;
    *slot(b.v, 1) *= *slot(b.v, 2) += 3;
    printf("%d %d %d %d\n", b.v[0], b.v[1], b.v[2], calls);
    unsigned u = 3;
    u -= 5LL;
    u /= 2;
    printf("%u\n", u);
    int i = 7;
    i *= 1.5f;
    printf("%d\n", i);
    return b.v[1];
}
