// Structures of 1 to 16 bytes passed and returned by value.
#include <stdio.h>

struct s1 { char a; };
struct s2 { char a, b; };
struct s3 { char a[3]; };
struct s4 { short a; char b; };
struct s5 { char a[5]; };
struct s7 { char a[7]; };
struct s8 { int a, b; };
struct s12 { int a, b, c; };
struct s16 { long a; int b; };
struct s13 { char a[13]; };

static struct s1 f1(struct s1 s) { s.a++; return s; }
static struct s2 f2(struct s2 s) { return (struct s2){s.b, s.a}; }
static struct s3 f3(struct s3 s) { char t = s.a[0]; s.a[0] = s.a[2]; s.a[2] = t; return s; }
static struct s4 f4(struct s4 s) { s.a *= s.b; return s; }
static struct s5 f5(struct s5 s) { for (int i = 0; i < 5; i++) s.a[i] += i; return s; }
static struct s7 f7(struct s7 s) { for (int i = 0; i < 6; i++) s.a[i + 1] ^= s.a[i]; return s; }
static struct s8 f8(struct s8 s) { return (struct s8){s.a + s.b, s.a - s.b}; }
static struct s12 f12(struct s12 s) { return (struct s12){s.c, s.a, s.b}; }
static struct s16 f16(struct s16 s) { s.a <<= s.b; s.b = -s.b; return s; }
static struct s13 f13(struct s13 s, int by) { for (int i = 0; i < 13; i++) s.a[i] = (char)(s.a[i] + by); return s; }

int main(void) {
    struct s1 a = f1(f1((struct s1){'a'}));
    struct s2 b = f2((struct s2){'x', 'y'});
    struct s3 c = f3((struct s3){{'1', '2', '3'}});
    struct s4 d = f4((struct s4){300, 11});
    struct s5 e = f5((struct s5){"AAAA"});
    struct s7 g = f7((struct s7){{1, 2, 4, 8, 16, 32, 64}});
    struct s8 h = f8(f8((struct s8){9, 5}));
    struct s12 i = f12((struct s12){1, 2, 3});
    struct s16 j = f16((struct s16){5, 33});
    struct s13 k = f13((struct s13){"HAL9000 HAL"}, 1);
    printf("%c %c%c %.3s %d %d\n", a.a, b.a, b.b, c.a, d.a, d.b);
    printf("%.5s %d %d %d\n", e.a, g.a[6], h.a, h.b);
    printf("%d%d%d %ld %d %.11s %d\n", i.a, i.b, i.c, j.a, j.b, k.a, k.a[12]);
    return g.a[6] - 5 - h.a;
}
