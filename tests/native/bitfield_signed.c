// Signed bit-fields, _Bool bit-fields, bit-fields in unions and their promotions.
#include <stdbool.h>
#include <stdio.h>

struct s {
    signed int a : 4;
    signed int b : 1;
    int : 3;
    signed char c : 5;
    short d : 11;
    long e : 37;
    bool f : 1;
    bool g : 1;
    unsigned h : 2;
};
union v {
    struct {
        unsigned lo : 4, hi : 4;
    } nibble;
    struct {
        signed lo : 4, hi : 4;
    } snibble;
    unsigned char byte;
};

int main(void) {
    struct s x = {0};
    for (int i = 6; i < 11; i++) {
        x.a = i;
        x.c = i * 3;
        printf("%d %d ", x.a, x.c);
    }
    puts("");
    x.b = 1;
    x.d = 1024;
    x.e = 1L << 36;
    x.f = 2;
    x.g = x.f && x.b;
    x.h = 3;
    printf("%d %d %ld %d %d %d\n", x.b, x.d, (long)x.e, x.f, x.g, x.h);
    x.e--;
    x.d -= 1;
    x.h++;
    printf("%d %ld %u\n", x.d, (long)x.e, x.h);
    printf("%d %d\n", x.h - 1 < 0, x.a < x.h);
    union v v = {.byte = 0xb7};
    printf("%u %u %d %d\n", v.nibble.lo, v.nibble.hi, v.snibble.lo, v.snibble.hi);
    v.snibble.hi = -1;
    v.nibble.lo += 12;
    printf("%02x\n", v.byte);
    int sum = 0;
    for (int i = -40; i < 40; i++) {
        x.c = i;
        x.a = x.c >> 1;
        sum += x.a * x.c;
    }
    printf("%d\n", sum);
    return sum & 0x7f & ~2;
}
