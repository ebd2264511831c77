// Shifts by every amount on several widths, arithmetic and logical right shifts.
#include <stdint.h>
#include <stdio.h>

static uint32_t rotl32(uint32_t x, unsigned n) { return (x << (n & 31)) | (x >> (-n & 31)); }
static uint64_t rotr64(uint64_t x, unsigned n) { return (x >> (n & 63)) | (x << (-n & 63)); }
static uint8_t rotl8(uint8_t x, unsigned n) { return (uint8_t)((x << (n & 7)) | (x >> (-n & 7))); }

int main(void) {
    for (int i = 0; i < 32; i += 5)
        printf("%u %u %d\n", 1u << i, 0x80000000u >> i, -2000000000 >> i);
    for (int i = 0; i < 64; i += 13)
        printf("%llx %llx %lld\n", 1ULL << i, 0x8000000000000000ULL >> i, (-9000000000000000000LL) >> i);
    signed char sc = -128;
    unsigned char uc = 128;
    printf("%d %d %d %d\n", sc >> 1, uc >> 1, uc << 1, (signed char)(uc >> 7));
    uint32_t h = 0x12345678;
    for (unsigned i = 0; i < 40; i += 3)
        h = rotl32(h, i) ^ i;
    printf("%08x\n", h);
    uint64_t q = 0x0123456789abcdefULL;
    for (unsigned i = 0; i < 70; i += 7)
        q = rotr64(q, i) + i;
    printf("%016llx\n", (unsigned long long)q);
    uint8_t r = 0x81;
    for (unsigned i = 0; i < 9; i++)
        r = (uint8_t)(rotl8(r, i) + 1);
    printf("%02X\n", r);
    unsigned long long big = 1;
    big <<= 40;
    big |= 1;
    big >>= 3;
    printf("%llo\n", big);
    return (int)((h ^ q ^ r) % 120);
}
