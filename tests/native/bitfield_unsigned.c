// Unsigned bit-fields: wraparound, masks, straddling of storage units, zero width.
// also: -m32
#include <stdio.h>
#include <string.h>

struct rgb {
    unsigned short r : 5, g : 6, b : 5;
};
struct odd {
    unsigned a : 3;
    unsigned b : 13;
    unsigned c : 20;
    unsigned : 0;
    unsigned d : 1;
    unsigned long long e : 40;
    unsigned char f : 7;
};

int main(void) {
    struct rgb p = {31, 63, 31};
    p.r++;
    p.g += 2;
    p.b -= 32;
    printf("%u %u %u %zu\n", p.r, p.g, p.b, sizeof p);
    unsigned short raw;
    memcpy(&raw, &p, sizeof raw);
    printf("%04x\n", raw);
    struct odd o;
    memset(&o, 0, sizeof o);
    o.a = 5;
    o.b = 8191;
    o.c = 0xabcde;
    o.d = 1;
    o.e = 0x12345678abULL;
    o.f = 100;
    o.b++;
    o.c ^= 0xfffff;
    o.e <<= 4;
    o.f += 50;
    printf("%u %u %x %u %llx %u\n", o.a, o.b, o.c, o.d, (unsigned long long)o.e, o.f);
    struct odd q = o;
    q.a = ~q.a;
    q.d ^= 1;
    printf("%u %u %u\n", q.a, q.d, q.b = 9999);
    printf("%d\n", q.b == 9999 % 8192);
    unsigned h = 0;
    for (unsigned i = 0; i < 40; i++) {
        o.a += i;
        o.c = o.c * 3 + o.a;
        o.e += o.c;
        h = h * 17 + (unsigned)o.e + o.c;
    }
    printf("%u\n", h);
    return (int)(h % 120);
}
