// GNU builtins for counting and reordering bits, checked against loops.
#include <stdint.h>
#include <stdio.h>

static int slow_popcount(uint64_t v) {
    int n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}
static int slow_clz(uint32_t v) {
    int n = 0;
    while (!(v & 0x80000000u)) {
        v <<= 1;
        n++;
    }
    return n;
}

int main(void) {
    uint64_t x = 0x9e3779b97f4a7c15ULL;
    int agree = 0, total = 0;
    for (int i = 0; i < 50; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        uint32_t w = (uint32_t)x | 1u << i % 32;
        agree += __builtin_popcountll(x) == slow_popcount(x);
        agree += __builtin_clz(w) == slow_clz(w);
        agree += __builtin_parity(w) == (slow_popcount(w) & 1);
        total += __builtin_ctzll(x) + __builtin_clzll(x) + __builtin_ffs((int)w) + __builtin_popcount(w);
    }
    printf("%d %d\n", agree, total);
    printf("%d %d %d\n", __builtin_ffs(0), __builtin_ffsll(1LL << 40), __builtin_ctz(96));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(0x123456789abcdef0ULL));
    printf("%d %d\n", __builtin_clrsb(-1), __builtin_clrsb(1));
    printf("%d\n", __builtin_abs(-9));
    if (__builtin_expect(total > 0, 1))
        puts("likely");
    printf("%d %d\n", __builtin_constant_p(3), __builtin_types_compatible_p(int, signed));
    printf("%d\n", __builtin_choose_expr(1, 11, "no"));
    switch (total & 1) {
    case 0:
    case 1:
        return total % 120;
    }
    __builtin_unreachable();
}
