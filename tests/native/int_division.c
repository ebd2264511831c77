// Division and modulo with every sign combination and at the type limits.
// also: -m32
#include <limits.h>
#include <stdio.h>

static void both(int a, int b) { printf("%d/%d=%d %d%%%d=%d\n", a, b, a / b, a, b, a % b); }

static int floor_mod(int a, int b) {
    int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int main(void) {
    both(7, 2);
    both(-7, 2);
    both(7, -2);
    both(-7, -2);
    both(INT_MIN, 2);
    both(INT_MIN, INT_MAX);
    both(INT_MAX, INT_MIN);
    both(INT_MIN + 1, -1);
    both(0, -5);
    printf("%u %u\n", UINT_MAX / 10, UINT_MAX % 10);
    printf("%llu %llu\n", ULLONG_MAX / 1000000007ULL, ULLONG_MAX % 1000000007ULL);
    printf("%lld %lld\n", LLONG_MIN / 3, LLONG_MIN % 3);
    signed char a = -128, b = -1;
    printf("%d %d\n", a / b, a % b);
    short s = -32768;
    s /= -1;
    printf("%hd\n", s);
    int total = 0;
    for (int i = -10; i <= 10; i++) {
        if (i == 0)
            continue;
        total += floor_mod(23, i) * 3 + floor_mod(-23, i);
    }
    printf("%d\n", total);
    return total & 63;
}
