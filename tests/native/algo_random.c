// Linear congruential, xorshift and Mersenne-like generators with simple statistics.
#include <stdint.h>
#include <stdio.h>

static uint32_t lcg_state = 1;
static uint32_t lcg(void) { return lcg_state = lcg_state * 1664525u + 1013904223u; }

static uint64_t xs = 88172645463325252ULL;
static uint64_t xorshift(void) {
    xs ^= xs << 13;
    xs ^= xs >> 7;
    return xs ^= xs << 17;
}

struct lagged {
    uint16_t v[17];
    int a, b;
};
static uint16_t step(struct lagged *g) {
    uint16_t r = g->v[g->a] += g->v[g->b];
    g->a = (g->a + 1) % 17;
    g->b = (g->b + 1) % 17;
    return r;
}

int main(void) {
    int buckets[8] = {0};
    for (int i = 0; i < 4000; i++)
        buckets[lcg() >> 29]++;
    for (int i = 0; i < 8; i++)
        printf("%d ", buckets[i]);
    puts("");
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += (double)(xorshift() >> 11) / 9007199254740992.0;
    printf("%.6f\n", sum / 1000);
    struct lagged g = {.a = 0, .b = 12};
    for (int i = 0; i < 17; i++)
        g.v[i] = (uint16_t)lcg();
    unsigned ones = 0;
    for (int i = 0; i < 500; i++)
        for (uint16_t v = step(&g); v; v >>= 1)
            ones += v & 1;
    printf("%u\n", ones);
    int deck[52];
    for (int i = 0; i < 52; i++) {
        int j = (int)(xorshift() % (unsigned)(i + 1));
        deck[i] = deck[j];
        deck[j] = i;
    }
    int check = 0;
    for (int i = 0; i < 52; i++)
        check += deck[i] * (i + 1);
    printf("%d %d %d\n", deck[0], deck[51], check);
    return check % 126;
}
