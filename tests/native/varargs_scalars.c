// va_arg of int, unsigned, long long, double and pointers, with va_copy.
// also: -m32
#include <stdarg.h>
#include <stdio.h>

static long long eval(const char *kinds, ...) {
    va_list ap;
    va_start(ap, kinds);
    long long t = 0;
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i':
            t += va_arg(ap, int);
            break;
        case 'u':
            t += va_arg(ap, unsigned);
            break;
        case 'l':
            t += va_arg(ap, long long);
            break;
        case 'd':
            t += (long long)(va_arg(ap, double) * 4);
            break;
        case 'p':
            t += *va_arg(ap, int *);
            break;
        case 's':
            for (const char *s = va_arg(ap, const char *); *s; s++)
                t += *s;
            break;
        }
        t = t * 3 % 1000000007;
    }
    va_end(ap);
    return t;
}

static int twice(int n, ...) {
    va_list a, b;
    va_start(a, n);
    int first = va_arg(a, int);
    va_copy(b, a);
    int s = first;
    for (int i = 1; i < n; i++)
        s += va_arg(a, int);
    for (int i = 1; i < n; i++)
        s += 100 * va_arg(b, int);
    va_end(b);
    va_end(a);
    return s;
}

int main(void) {
    int x = 77;
    char c = 'c';
    short s = -5;
    float f = 1.25f;
    printf("%lld\n", eval("iiii", 1, -2, c, s));
    printf("%lld\n", eval("uld", 4000000000u, -5000000000LL, f));
    printf("%lld\n", eval("psdlips", &x, "abc", 2.5, 1LL << 40, 9, &x, "zz"));
    printf("%lld\n", eval("ddddddddddiiiiiiii", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%lld\n", eval(""));
    int r = twice(5, 1, 2, 3, 4, 5);
    printf("%d %d\n", r, twice(1, 8));
    return r % 101;
}
