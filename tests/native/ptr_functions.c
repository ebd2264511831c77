// Function pointers: dispatch tables, callbacks with context, functions returning functions.
// also: -m32
#include <stdio.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static const struct {
    char sign;
    binary f;
} ops[] = {{'+', add}, {'-', sub}, {'*', mul}};

static binary find(char c) {
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].sign == c)
            return ops[i].f;
    return NULL;
}

static int (*choose(int positive))(int, int) { return positive ? add : &sub; }

static void each(const int *v, int n, void (*visit)(int, void *), void *context) {
    for (int i = 0; i < n; i++)
        visit(v[i], context);
}

static void sum_into(int x, void *context) { *(long *)context += x; }
static void count_odd(int x, void *context) { ++((int *)context)[x & 1]; }

static int fold(binary f, const int *v, int n) {
    int acc = *v;
    while (--n)
        acc = (*f)(acc, *++v);
    return acc;
}

int main(void) {
    int v[] = {5, 2, 7, 1};
    for (const char *p = "+-*/"; *p; p++) {
        binary f = find(*p);
        if (f)
            printf("%c %d\n", *p, fold(f, v, 4));
        else
            printf("%c none\n", *p);
    }
    printf("%d %d\n", choose(1)(3, 4), (***choose(0))(3, 4));
    long sum = 0;
    int parity[2] = {0, 0};
    each(v, 4, sum_into, &sum);
    each(v, 4, count_odd, parity);
    printf("%ld %d %d\n", sum, parity[0], parity[1]);
    binary table[2][2] = {{add, sub}, {mul, add}};
    int r = 1;
    for (int i = 0; i < 8; i++)
        r = table[i & 1][i >> 1 & 1](r, i);
    printf("%d %d %d\n", r, table[0][0] == add, table[1][0] == table[0][1]);
    return r & 127;
}
