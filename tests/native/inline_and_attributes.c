// inline functions, attributes, restrict, volatile, const and cleanup handlers.
#include <stdio.h>

static inline int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
static inline __attribute__((always_inline)) int sq(int v) { return v * v; }
static __attribute__((noinline)) int cube(int v) { return v * sq(v); }
static __attribute__((pure)) int weight(const char *s) {
    int w = 0;
    while (*s)
        w += *s++ & 15;
    return w;
}
static __attribute__((unused)) int unused(void) { return 1; }

static void axpy(int n, int k, const int *restrict x, int *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] += k * x[i];
}

static void leave(int *level) { printf("leave %d\n", *level); }

static int started;
static __attribute__((constructor)) void before(void) { started = 21; }
static __attribute__((destructor)) void after(void) { printf("after %d\n", started); }

int main(void) {
    volatile int v = 4;
    v += 3;
    int seen = v * v;
    const int c = clamp(seen, 0, 40);
    printf("%d %d %d %d\n", seen, c, cube(3), weight("attribute"));
    int x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40};
    axpy(4, -3, x, y);
    printf("%d %d %d %d\n", y[0], y[1], y[2], y[3]);
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(leave))) int level = i * 5;
        if (i)
            continue;
        level++;
    }
    volatile unsigned char port = 0xf0;
    port |= port >> 4;
    port ^= 0x0f;
    printf("%d %d\n", port, started);
    return cube(3) + started;
}
