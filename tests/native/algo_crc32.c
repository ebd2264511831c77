// CRC-32 by table and bit by bit, Adler-32 and Fletcher-16.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[n] = c;
    }
}

static uint32_t crc_table(const void *data, size_t n) {
    uint32_t c = ~0u;
    for (const uint8_t *p = data, *end = p + n; p != end; p++)
        c = table[(c ^ *p) & 0xff] ^ c >> 8;
    return ~c;
}

static uint32_t crc_bits(const char *data, size_t n) {
    uint32_t c = 0xffffffff;
    while (n--) {
        c ^= (uint8_t)*data++;
        for (int k = 8; k--;)
            c = (c >> 1) ^ (-(c & 1) & 0xedb88320u);
    }
    return c ^ 0xffffffff;
}

static uint32_t adler(const char *s) {
    uint32_t a = 1, b = 0;
    for (; *s; s++) {
        a = (a + (uint8_t)*s) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint16_t fletcher(const char *s) {
    uint16_t a = 0, b = 0;
    while (*s) {
        a = (uint16_t)((a + (uint8_t)*s++) % 255);
        b = (uint16_t)((a + b) % 255);
    }
    return (uint16_t)(b << 8 | a);
}

int main(void) {
    make_table();
    const char *texts[] = {"", "a", "123456789", "The quick brown fox jumps over the lazy dog", "\xff\xfe\xfd"};
    uint32_t all = 0;
    for (int i = 0; i < 5; i++) {
        size_t n = strlen(texts[i]);
        uint32_t c = crc_table(texts[i], n);
        printf("%08x %d %08x %04x\n", c, c == crc_bits(texts[i], n), adler(texts[i]), fletcher(texts[i]));
        all = all * 3 + c;
    }
    return (int)(all & 0x7f) % 126;
}
