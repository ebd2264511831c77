// Integer promotions and the usual arithmetic conversions.
// also: -m32
#include <stdio.h>

static unsigned char add_bytes(unsigned char a, unsigned char b) { return a + b; }
static signed char neg_byte(signed char a) { return (signed char)-a; }

int main(void) {
    unsigned char a = 200, b = 100;
    printf("%d %d\n", a + b, add_bytes(a, b));
    signed char m = -128;
    printf("%d %d\n", -m, neg_byte(m));
    unsigned char z = 0;
    printf("%d %d\n", ~z, (unsigned char)~z);
    printf("%d\n", (unsigned char)~z >> 1);
    printf("%d\n", ~z >> 1);
    short s = -1;
    unsigned u = 1;
    printf("%d %d\n", s < (int)u, s < u);
    printf("%d %d\n", s > u, -1L < (long)u);
    unsigned short us = 65535;
    printf("%d %u\n", us == s, us + 1u);
    printf("%d\n", us + s);
    long long ll = -1;
    printf("%d %d\n", ll < u, (unsigned long long)ll < u);
    char c = 'A';
    c += 300 % 7;
    printf("%c %d %d\n", c, c, 'A' + 'B');
    _Bool t = 256;
    t += 5;
    printf("%d %d\n", t, t + t + t);
    unsigned w = 3;
    int n = -7;
    printf("%u %d\n", n + w, (int)(n + w));
    printf("%u %d\n", n / w, n / (int)w);
    return (a ^ b) & 0x7f;
}
