// offsetof, sizeof and _Alignof of structures with padding, on 64-bit and 32-bit targets.
// also: -m32
#include <stddef.h>
#include <stdio.h>

struct a { char c; int i; char d; };
struct b { char c; double d; };
struct c { short s; char *p; char t; };
struct d { struct a x; long long l; char y; };
struct e { char m[3]; struct c inner[2]; };
union u { char c[5]; int i; short s; };
struct f { char c; union u u; };

#define SHOW(t) printf(#t " %zu %zu\n", sizeof(struct t), _Alignof(struct t))

int main(void) {
    SHOW(a);
    SHOW(b);
    SHOW(c);
    SHOW(d);
    SHOW(e);
    SHOW(f);
    printf("%zu %zu\n", sizeof(union u), _Alignof(union u));
    printf("%zu %zu %zu\n", offsetof(struct a, i), offsetof(struct a, d), offsetof(struct b, d));
    printf("%zu %zu %zu\n", offsetof(struct c, p), offsetof(struct c, t), offsetof(struct d, l));
    printf("%zu %zu\n", offsetof(struct e, inner[1].t), offsetof(struct f, u.s));
    printf("%zu %zu %zu\n", sizeof(long), sizeof(void *), sizeof(size_t));
    struct d v = {{1, 2, 3}, 4, 5};
    struct a *p = &v.x;
    struct d *back = (struct d *)((char *)p - offsetof(struct d, x));
    long long *l = (long long *)((char *)&v + offsetof(struct d, l));
    *l += 38;
    printf("%lld %d\n", back->l, back->y);
    return (int)(sizeof(struct d) + sizeof(struct e));
}
