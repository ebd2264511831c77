// va_arg of small and large structures, of unions and of function pointers.
#include <stdarg.h>
#include <stdio.h>

struct small { int a, b; };
struct mixed { double d; int i; };
struct large { long v[5]; };
struct tiny { char c; };
union num { long l; double d; };
typedef int (*unary)(int);

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }

static long walk(const char *kinds, ...) {
    va_list ap;
    va_start(ap, kinds);
    long t = 0;
    while (*kinds) {
        switch (*kinds++) {
        case 's': {
            struct small s = va_arg(ap, struct small);
            t += s.a * 10 + s.b;
            break;
        }
        case 'm': {
            struct mixed m = va_arg(ap, struct mixed);
            t += (long)(m.d * 100) + m.i;
            break;
        }
        case 'l': {
            struct large l = va_arg(ap, struct large);
            for (int i = 0; i < 5; i++)
                t += l.v[i] << i;
            break;
        }
        case 't':
            t += va_arg(ap, struct tiny).c;
            break;
        case 'u':
            t += va_arg(ap, union num).l;
            break;
        case 'f':
            t = va_arg(ap, unary)((int)(t % 1000));
            break;
        }
        printf("%ld ", t);
    }
    va_end(ap);
    puts("");
    return t;
}

int main(void) {
    struct small s = {4, 2};
    struct mixed m = {1.25, 7};
    struct large l = {{1, 2, 3, 4, 5}};
    struct tiny t = {'!'};
    union num u = {.l = -20};
    long r = walk("smltu", s, m, l, t, u);
    r += walk("lslsmmmm", l, s, l, s, m, m, m, m);
    r += walk("sssssssff", s, s, s, s, s, s, s, twice, square);
    r += walk("tttmuf", t, t, t, m, u, square);
    return (int)(r % 126);
}
