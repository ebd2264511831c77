// Constant expressions in initialisers, array sizes, cases and enumerators.
#include <stdio.h>

#define KB(n) ((n) * 1024)
enum { N = 3 + 4 * 2, MASK = (1 << 5) - 1, NEG = -N, SEL = N > 10 ? 7 : 9 };

static const int table[N] = {[0] = N, [N - 1] = -N, [N / 2] = MASK};
static char pad[sizeof(int) * 2 + 1];
static long big = 1L << 40 | 1;
static double ratio = 7 / 2 + 7 / 2.0;
static const char *middle = &"hello world"[6];
static const int *last = &table[N - 1];
static int truth = (5 > 3) + !0 + (2 == 2.0);
static unsigned wrap = 0u - 1;
static short narrow = (short)70000;
static float tiny = 1.0f / 3;

int main(void) {
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += table[i] * (i + 1);
    printf("%d %d %d %d %d\n", N, MASK, NEG, SEL, sum);
    printf("%d %ld %.2f %s %d\n", (int)sizeof pad, big, ratio, middle, *last);
    printf("%d %u %d %.6f %d\n", truth, wrap, narrow, (double)tiny, KB(3));
    switch (sum & MASK) {
    case N - N:
        return 1;
    case MASK ^ 3:
        return 2;
    default:
        return (sum & MASK) + 10;
    }
}
