// Base64 and hexadecimal encoding and decoding.
#include <stdio.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const unsigned char *in, size_t n, char *out) {
    char *o = out;
    for (size_t i = 0; i < n; i += 3) {
        unsigned v = (unsigned)in[i] << 16;
        if (i + 1 < n)
            v |= (unsigned)in[i + 1] << 8;
        if (i + 2 < n)
            v |= in[i + 2];
        *o++ = alphabet[v >> 18];
        *o++ = alphabet[v >> 12 & 63];
        *o++ = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
        *o++ = i + 2 < n ? alphabet[v & 63] : '=';
    }
    *o = '\0';
    return (size_t)(o - out);
}

static size_t decode(const char *in, unsigned char *out) {
    unsigned char *o = out;
    unsigned v = 0, bits = 0;
    for (; *in && *in != '='; in++) {
        const char *p = strchr(alphabet, *in);
        if (!p)
            return 0;
        v = v << 6 | (unsigned)(p - alphabet);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *o++ = (unsigned char)(v >> bits);
        }
    }
    return (size_t)(o - out);
}

int main(void) {
    char coded[128];
    unsigned char back[96];
    const char *texts[] = {"", "f", "fo", "foo", "foobar", "any carnal pleas", "\x80\xff\x01"};
    unsigned h = 0;
    for (int i = 0; i < 7; i++) {
        size_t n = strlen(texts[i]);
        size_t m = encode((const unsigned char *)texts[i], n, coded);
        size_t k = decode(coded, back);
        printf("%zu %s %d\n", m, coded, k == n && memcmp(back, texts[i], n) == 0);
        for (size_t j = 0; j < m; j++)
            h = h * 31 + (unsigned char)coded[j];
    }
    printf("%zu\n", decode("****", back));
    for (int i = 0; i < 4; i++)
        printf("%02X%c", (unsigned)(h >> 8 * i & 255), i < 3 ? ':' : '\n');
    return (int)(h % 122);
}
