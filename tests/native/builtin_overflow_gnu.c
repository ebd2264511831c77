// GNU overflow-checked arithmetic on signed, unsigned and mixed types.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static int faults;

static int add(int a, int b) {
    int r;
    if (__builtin_add_overflow(a, b, &r))
        faults++;
    printf("%d ", r);
    return r;
}

static int64_t factorial(int n, int *exact) {
    int64_t r = 1;
    *exact = 1;
    for (int i = 2; i <= n; i++)
        if (__builtin_mul_overflow(r, i, &r)) {
            *exact = 0;
            return i;
        }
    return r;
}

int main(void) {
    add(1, 2);
    add(INT_MAX, 1);
    add(INT_MIN, -1);
    add(INT_MIN, INT_MIN);
    printf("%d\n", faults);
    unsigned u;
    printf("%d ", __builtin_sub_overflow(3u, 5u, &u));
    printf("%u\n", u);
    int8_t s;
    printf("%d ", __builtin_add_overflow(100, 27, &s));
    printf("%d ", s);
    printf("%d ", __builtin_add_overflow(100, 28, &s));
    printf("%d\n", s);
    uint16_t h;
    printf("%d ", __builtin_mul_overflow(256, 256, &h));
    printf("%u\n", h);
    int exact;
    long long f = factorial(20, &exact);
    printf("%lld %d\n", f, exact);
    f = factorial(25, &exact);
    printf("%lld %d\n", f, exact);
    unsigned long ul;
    long l;
    printf("%d ", __builtin_umull_overflow(1UL << 33, 1UL << 30, &ul));
    printf("%d ", __builtin_umull_overflow(1UL << 33, 1UL << 31, &ul));
    printf("%d ", __builtin_ssubl_overflow(LONG_MIN, 1, &l));
    printf("%lu %ld\n", ul, l);
    uint64_t mixed;
    printf("%d ", __builtin_add_overflow(-1, 1u, &mixed));
    printf("%llu ", (unsigned long long)mixed);
    printf("%d ", __builtin_add_overflow(-2, 1u, &mixed));
    printf("%llu\n", (unsigned long long)mixed);
    return (int)f + faults;
}
