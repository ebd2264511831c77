// Arithmetic on long doubles of x86, rounded to the last bit, with special values.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 362436069u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static long double make(uint64_t significand, uint16_t exponent)
{
    long double number = 0;
    memcpy(&number, &significand, 8);
    memcpy((char *)&number + 8, &exponent, 2);
    return number;
}

static void show(const char *what, long double number)
{
    uint64_t significand;
    uint16_t exponent;
    memcpy(&significand, &number, 8);
    memcpy(&exponent, (char *)&number + 8, 2);
    printf(" %s %04x:%016llx", what, exponent, (unsigned long long)significand);
}

static long double edge(unsigned number)
{
    switch (number % 12) {
    case 0: return 0.0L;
    case 1: return -0.0L;
    case 2: return 1.0L;
    case 3: return -1.5L;
    case 4: return make(0x8000000000000000u, 0x7fff);
    case 5: return make(0x8000000000000000u, 0xffff);
    case 6: return make(0xc000000000000123u, 0x7fff);
    case 7: return make(1, 0);
    case 8: return make(0x7fffffffffffffffu, 0);
    case 9: return make(0xffffffffffffffffu, 0x7ffe);
    case 10: return make(0x8000000000000000u, 1);
    default: return make(0x8000000000000001u, 0x3fff);
    }
}

static long double number(int kind)
{
    uint64_t bits = any() | 1ull << 63;
    if (kind == 0)
        return edge(any() >> 9);
    if (kind == 1) // Numbers of much the same size.
        return make(bits, (any() & 0x8000) | (0x3fff - 3 + any() % 7));
    if (kind == 2) // As far apart as they have bits.
        return make(bits & ~0ull << any() % 60, (any() & 0x8000) | (0x3fff - 40 + any() % 80));
    if (kind == 3) // Nearly too small, or too large.
        return any() % 2 ? make(bits, any() % 70 + 1) : make(bits, 0x7ffe - any() % 70);
    return make(bits, any() % 0xfffe % 0x7fff + 1 & 0x7ffe);
}

static void arithmetic(long double a, long double b)
{
    show("a", a);
    show("b", b);
    show("+", a + b);
    show("-", a - b);
    show("*", a * b);
    show("/", a / b);
    show("neg", -a);
    printf(" %d%d%d%d%d%d %d\n", a < b, a <= b, a == b, a != b, a > b, a >= b,
        __builtin_isunordered(a, b));
}

static void conversions(long double a)
{
    double d = a;
    float f = a;
    uint64_t d_bits;
    uint32_t f_bits;
    memcpy(&d_bits, &d, 8);
    memcpy(&f_bits, &f, 4);
    printf("%016llx %08x", (unsigned long long)d_bits, f_bits);
    show("d", d);
    show("f", f);
    if (a > -9e18L && a < 9e18L)
        printf(" %lld", (long long)a);
    if (a > -2e9L && a < 2e9L)
        printf(" %d", (int)a);
    if (a >= 0 && a < 1.8e19L)
        printf(" %llu", (unsigned long long)a);
    show("abs", __builtin_fabsl(a));
    printf("\n");
}

static long double power(long double base, int exponent)
{
    long double result = 1;
    while (exponent-- > 0)
        result *= base;
    return result;
}

struct with_long_double {
    char before;
    long double number;
    char after;
};

static struct with_long_double twice(struct with_long_double given)
{
    given.number *= 2;
    given.after++;
    return given;
}

int main(void)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            arithmetic(edge(i), edge(j));
    for (int i = 0; i < 300; i++)
        arithmetic(number(i % 5), number(i / 5 % 5));
    for (int i = 0; i < 200; i++) {
        conversions(number(i % 5));
        conversions(make(any() | 1ull << 63, (any() & 0x8000) | (0x3fff + any() % 66)));
        conversions(make(any() | 1ull << 63, (any() & 0x8000) | (0x3fff - 1080 + any() % 64)));
        conversions(make(any() | 1ull << 63, (any() & 0x8000) | (0x3fff - 152 + any() % 30)));
        show("signed", (long long)any() >> any() % 60);
        show("unsigned", any() >> any() % 60);
        show("int", (int)any());
        show("wide", (unsigned __int128)any() << 64 | any());
        printf("\n");
    }
    printf("%d\n", (int)power(3, 19));
    struct with_long_double pair = {1, 2.25L, 3};
    pair = twice(pair);
    printf("%d %d %d %zu\n", pair.before, (int)(pair.number * 100), pair.after, sizeof pair);
    return 0;
}
