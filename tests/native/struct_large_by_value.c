// Structures of 17 to 40 bytes and mixed classes passed and returned by value.
#include <stdio.h>

struct s17 { char a[17]; };
struct s24 { long a, b, c; };
struct s32 { double a; int b[4]; long c; };
struct s40 { char tag; short s; int i; long l; double d; char text[16]; };
struct df { double a; float b, c; };
struct id { int a; double b; };
struct di { double a; int b; };
struct ff { float a, b, c; };
struct one { double only[1]; };

static struct s17 f17(struct s17 s) { for (int i = 0, j = 16; i < j; i++, j--) { char t = s.a[i]; s.a[i] = s.a[j]; s.a[j] = t; } return s; }
static struct s24 f24(struct s24 s, struct s24 t) { return (struct s24){s.a + t.c, s.b + t.b, s.c + t.a}; }
static struct s32 f32(int k, struct s32 s) { for (int i = 0; i < 4; i++) s.b[i] *= k; s.a /= k; s.c -= k; return s; }
static struct s40 f40(struct s40 s) { s.tag++; s.s = (short)-s.s; s.i <<= 1; s.l = ~s.l; s.d = -s.d; s.text[0] = s.tag; return s; }
static struct df fdf(struct df s) { return (struct df){s.b + s.c, (float)s.a, s.b}; }
static struct id fid(struct di s) { return (struct id){(int)s.a, s.b}; }
static struct di fdi(struct id s) { return (struct di){s.a, (int)s.b}; }
static struct ff fff(struct ff s, struct ff t) { return (struct ff){s.a * t.a, s.b * t.b, s.c * t.c}; }
static struct one fone(struct one o) { o.only[0] *= 3; return o; }
static long spill(int a, int b, int c, int d, int e, struct s24 s, int f, struct id x, int g) { return a + b + c + d + e + s.a + s.b * s.c + f + x.a + (long)x.b + g; }

int main(void) {
    struct s17 a = f17((struct s17){"0123456789abcdef"});
    printf("%d %.16s\n", a.a[0], a.a + 1);
    struct s24 b = f24((struct s24){1, 2, 3}, (struct s24){10, 20, 30});
    printf("%ld %ld %ld\n", b.a, b.b, b.c);
    struct s32 c = f32(3, (struct s32){1.5, {1, 2, 3, 4}, 100});
    printf("%.2f %d %d %d %d %ld\n", c.a, c.b[0], c.b[1], c.b[2], c.b[3], c.c);
    struct s40 e = {'a', 5, 6, 7, 8.5, "hello"};
    struct s40 d = f40(f40(f40(e)));
    printf("%c %d %d %ld %.1f %s\n", d.tag, d.s, d.i, d.l, d.d, d.text);
    printf("%c %s\n", e.tag, e.text);
    struct df f = fdf((struct df){1, 2, 3});
    printf("%.1f %.1f %.1f\n", f.a, f.b, f.c);
    struct di g = fdi(fid((struct di){7.9, 3}));
    printf("%.1f %d\n", g.a, g.b);
    struct ff h = fff((struct ff){1, 2, 3}, (struct ff){4, 5, 6});
    printf("%.0f %.0f %.0f %.1f\n", h.a, h.b, h.c, fone((struct one){{2.5}}).only[0]);
    long r = spill(1, 2, 3, 4, 5, b, 6, (struct id){7, 8.9}, 9);
    printf("%ld\n", r);
    return (int)(r % 126);
}
