// 64-bit multiplication, division, shifts and comparisons, also where registers have 32 bits.
// also: -m32
#include <stdint.h>
#include <stdio.h>

static uint64_t isqrt(uint64_t n) {
    uint64_t r = 0;
    for (uint64_t bit = 1ULL << 62; bit; bit >>= 2)
        if (n >= r + bit) {
            n -= r + bit;
            r = (r >> 1) + bit;
        } else {
            r >>= 1;
        }
    return r;
}

static uint64_t mul_high(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, m1 = ah * bl, m2 = al * bh;
    uint64_t carry = ((low >> 32) + (uint32_t)m1 + (uint32_t)m2) >> 32;
    return ah * bh + (m1 >> 32) + (m2 >> 32) + carry;
}

static int sign(int64_t v) { return (v > 0) - (v < 0); }

int main(void) {
    int64_t a = -1234567890123456789LL, b = 987654321LL;
    printf("%lld %lld %lld\n", (long long)(a / b), (long long)(a % b), (long long)(a >> 17));
    uint64_t u = (uint64_t)a;
    printf("%llu %llu %llu\n", (unsigned long long)(u / 1000003), (unsigned long long)(u % 1000003), (unsigned long long)(u >> 33));
    printf("%llu\n", (unsigned long long)mul_high(u, 0xfedcba9876543210ULL));
    printf("%llu %llu\n", (unsigned long long)isqrt(UINT64_MAX), (unsigned long long)isqrt(1000000000000ULL));
    printf("%d %d %d\n", sign(a), sign(0), sign(b));
    uint64_t h = 1469598103934665603ULL;
    for (int i = 0; i < 64; i++) {
        h ^= (uint64_t)i << (i % 64);
        h *= 1099511628211ULL;
        h = h << (i & 31) | h >> (64 - (i & 31)) % 64;
    }
    printf("%016llx\n", (unsigned long long)h);
    int32_t narrow = (int32_t)(h >> 20);
    uint16_t narrower = (uint16_t)(h >> 7);
    printf("%d %u %d\n", narrow, narrower, (int8_t)h);
    printf("%d %d %d\n", a < b, u < (uint64_t)b, (int64_t)u == a);
    double d = (double)a;
    float f = (float)u;
    printf("%.1f %.1f %lld\n", d, f, (long long)(d / 1e9));
    return (int)(h % 123);
}
