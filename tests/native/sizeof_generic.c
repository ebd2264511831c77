// sizeof, _Alignof, _Generic, _Static_assert and typeof without evaluation of operands.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

_Static_assert(sizeof(int32_t) == 4, "exact width");
_Static_assert((char)-1 == -1 || (char)-1 == 255, "char");

#define NAME(x)                                                                                                        \
    _Generic((x), _Bool: "bool", char: "char", signed char: "schar", unsigned char: "uchar", short: "short", int: "int", \
             unsigned: "unsigned", long: "long", unsigned long: "ulong", long long: "llong", float: "float",           \
             double: "double", char *: "char *", const char *: "const char *", int (*)(int): "function",               \
             default: "other")
#define ABS(x) _Generic((x), int: abs_int, long: abs_long, double: abs_double)(x)

static int abs_int(int x) { return x < 0 ? -x : x; }
static long abs_long(long x) { return x < 0 ? -x : x; }
static double abs_double(double x) { return x < 0 ? -x : x; }
static int id(int x) { return x; }

struct s {
    _Static_assert(sizeof(char) == 1, "inside");
    char c;
    max_align_t m;
};

int main(void) {
    char c = 'x';
    short s = 1;
    unsigned u = 1;
    const char *p = "p";
    printf("%s %s %s %s\n", NAME(c), NAME(+c), NAME(s), NAME(s + s));
    printf("%s %s %s %s\n", NAME(u + 1), NAME(u + 1L), NAME(1ull ? 1LL : 1), NAME(1.0f * 2));
    printf("%s %s %s %s\n", NAME('a'), NAME(p), NAME("literal"), NAME(id));
    printf("%s %s %s\n", NAME((_Bool)1), NAME(sizeof c), NAME(&u));
    printf("%d %ld %.1f\n", ABS(-3), ABS(-4L), ABS(-5.5));
    int n = 5;
    size_t z = sizeof(n++) + sizeof(id(n++)) + _Alignof(double);
    printf("%d %zu\n", n, z);
    printf("%zu %zu %zu %zu\n", sizeof 'a', sizeof "abc", sizeof(char[7][3]), sizeof(1 ? c : 1.0));
    printf("%zu %zu\n", sizeof(struct s) % _Alignof(struct s), sizeof((struct s *)0)->c);
    __typeof__(p) q = p;
    __typeof__(int[3]) v = {1, 2, 3};
    printf("%s %d\n", q, v[2]);
    return (int)z + n;
}
