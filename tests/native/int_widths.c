// Integers of every standard width at their limits, printed with matching formats.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    signed char sc = SCHAR_MIN;
    unsigned char uc = UCHAR_MAX;
    short s = SHRT_MIN;
    unsigned short us = USHRT_MAX;
    int i = INT_MIN;
    unsigned u = UINT_MAX;
    long l = LONG_MIN;
    unsigned long ul = ULONG_MAX;
    long long ll = LLONG_MAX;
    unsigned long long ull = ULLONG_MAX;
    printf("%hhd %hhu %hd %hu\n", sc, uc, s, us);
    printf("%d %i %u\n", i, i, u);
    printf("%ld %lu\n", l, ul);
    printf("%lld %llu\n", ll, ull);
    sc--;
    uc++;
    s--;
    us++;
    u++;
    ul++;
    ull++;
    printf("%d %d %d %d %u %lu %llu\n", sc, uc, s, us, u, ul, ull);
    int8_t a = -100;
    uint8_t b = (uint8_t)a;
    int16_t c = (int16_t)(a * 300);
    uint16_t d = (uint16_t)c;
    int32_t e = c * d / 7;
    uint32_t f = (uint32_t)e;
    int64_t g = (int64_t)e * e;
    uint64_t h = (uint64_t)-1 - (uint64_t)g;
    printf("%d %u %d %u %d %u %lld %llu\n", a, b, c, d, e, f, (long long)g, (unsigned long long)h);
    return (int)(h % 101);
}
