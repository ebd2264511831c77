// Hash rounds in the manner of SHA-256 with rotations, choice and majority functions.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void mix(uint32_t s[8], const uint8_t block[64]) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (ror(x, 7) ^ ror(x, 18) ^ x >> 3) + w[i - 7] + (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
    }
    uint32_t v[8];
    memcpy(v, s, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + choice + 0x9e3779b9u * (uint32_t)(i + 1) + w[i];
        uint32_t t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        s[i] += v[i];
}

int main(void) {
    uint32_t s[8];
    for (int i = 0; i < 8; i++)
        s[i] = 0x01234567u * (uint32_t)(2 * i + 1);
    uint8_t block[64];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 64; i++)
            block[i] = (uint8_t)(i * 7 + round * 31);
        mix(s, block);
    }
    for (int i = 0; i < 8; i++)
        printf("%08x", s[i]);
    puts("");
    return (int)(s[0] % 126);
}
