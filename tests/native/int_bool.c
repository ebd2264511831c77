// _Bool conversions from every scalar kind, logic and arithmetic on booleans.
// also: -m32
#include <stdbool.h>
#include <stdio.h>

static bool is_set(unsigned v, int bit) { return v & (1u << bit); }
static bool from_ptr(const void *p) { return p; }
static int count(bool a, bool b, bool c) { return a + b + c; }

struct flags {
    bool a, b, c;
};

int main(void) {
    bool b1 = 2, b2 = 0.1, b3 = -0.0, b4 = "x", b5 = 256;
    printf("%d%d%d%d%d\n", b1, b2, b3, b4, b5);
    printf("%d %d\n", is_set(0x80000000u, 31), is_set(0x80000000u, 30));
    printf("%d %d\n", from_ptr(&b1), from_ptr(0));
    printf("%d\n", count(1000, 0, -3));
    bool t = false;
    t++;
    t++;
    printf("%d\n", t);
    t ^= 1;
    t |= 8;
    t &= 2;
    printf("%d\n", t);
    struct flags f[3] = {{true, false, true}, {.b = 17}};
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum = sum * 8 + f[i].a * 4 + f[i].b * 2 + f[i].c;
    printf("%o %zu\n", (unsigned)sum, sizeof f);
    bool table[8];
    for (int i = 0; i < 8; i++)
        table[i] = i & 5;
    for (int i = 0; i < 8; i++)
        putchar(table[i] ? 'T' : 'F');
    putchar('\n');
    return !t + !!sum * 2 + (~b1 & 12);
}
