// Rational arithmetic with structures by value, continued fractions and gcd normalisation.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    long n, d;
} rational;

static long gcd(long a, long b) {
    while (b) {
        long t = a % b;
        a = b;
        b = t;
    }
    return labs(a);
}

static rational make(long n, long d) {
    if (d == 0)
        exit(64);
    long g = gcd(n, d);
    if (d < 0)
        g = -g;
    return (rational){n / g, d / g};
}
static rational add(rational a, rational b) { return make(a.n * b.d + b.n * a.d, a.d * b.d); }
static rational sub(rational a, rational b) { return add(a, (rational){-b.n, b.d}); }
static rational mul(rational a, rational b) { return make(a.n * b.n, a.d * b.d); }
static rational quotient(rational a, rational b) { return make(a.n * b.d, a.d * b.n); }
static int compare(rational a, rational b) { return (a.n * b.d > b.n * a.d) - (a.n * b.d < b.n * a.d); }

static rational continued(const int *terms, int n) { return n == 1 ? make(*terms, 1) : add(make(*terms, 1), quotient(make(1, 1), continued(terms + 1, n - 1))); }

int main(void) {
    rational h = make(0, 1);
    for (long i = 1; i <= 15; i++)
        h = add(h, make(i % 2 ? 1 : -1, i));
    printf("%ld/%ld\n", h.n, h.d);
    rational x = mul(make(-6, 8), make(10, -15)), y = sub(make(1, 3), make(1, 2));
    printf("%ld/%ld %ld/%ld %d\n", x.n, x.d, y.n, y.d, compare(x, y));
    static const int e[] = {2, 1, 2, 1, 1, 4, 1, 1, 6, 1, 1, 8};
    rational c = continued(e, 12);
    printf("%ld/%ld %.10f\n", c.n, c.d, (double)c.n / (double)c.d);
    rational half = make(1, 2), sum = make(0, 1);
    for (int i = 0; i < 20; i++) {
        sum = add(sum, half);
        half = mul(half, make(1, 2));
    }
    printf("%ld/%ld\n", sum.n, sum.d);
    printf("%d %d\n", compare(sum, make(1, 1)), compare(make(2, 4), make(-3, -6)));
    rational bad = quotient(make(1, 1), sub(make(1, 2), make(2, 4)));
    printf("unreachable %ld\n", bad.n);
    return 1;
}
