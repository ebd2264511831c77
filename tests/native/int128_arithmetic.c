// __int128 addition, multiplication, division, shifts and comparisons.
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void print_u128(u128 v) {
    char digits[48];
    int n = 0;
    do {
        digits[n++] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v != 0);
    while (n > 0)
        putchar(digits[--n]);
    putchar('\n');
}

static void print_i128(i128 v) {
    if (v < 0) {
        putchar('-');
        print_u128(-(u128)v);
    } else {
        print_u128((u128)v);
    }
}

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((u128)a * b % m); }

int main(void) {
    u128 f = 1;
    for (int i = 2; i <= 33; i++)
        f *= (unsigned)i;
    print_u128(f);
    print_u128(~(u128)0);
    i128 n = -((i128)1 << 100);
    print_i128(n);
    print_i128(n / 1000003);
    print_i128(n % 1000003);
    print_i128(n >> 70);
    print_u128((u128)n >> 70);
    printf("%d %d\n", n < 0, (u128)n > f);
    uint64_t r = 1, b = 3;
    for (uint64_t e = 1000000006; e != 0; e >>= 1) {
        if (e & 1)
            r = mul_mod(r, b, 18446744073709551557u);
        b = mul_mod(b, b, 18446744073709551557u);
    }
    printf("%llu\n", (unsigned long long)r);
    double d = (double)(f >> 3);
    printf("%.6e\n", d);
    printf("%d\n", (int)sizeof(i128));
    return (int)(f % 113);
}
