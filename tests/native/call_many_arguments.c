// Calls with many arguments of mixed kinds, beyond what registers hold.
// also: -m32
#include <stdio.h>

struct pair {
    int a;
    short b;
};

static long long mix(char a, short b, int c, long long d, float e, double f, unsigned char g, unsigned short h, unsigned i,
                     unsigned long long j, _Bool k, struct pair l, const char *m, double n, signed char o, int *p) {
    *p += k;
    return a + b * 2 + c * 3 + d * 4 + (long long)(e * 5) + (long long)(f * 6) + g * 7 + h * 8 + i * 9LL + (long long)j * 10 +
           l.a * 11 + l.b * 12 + m[1] * 13 + (long long)(n * 14) + o * 15;
}

static int nine(int a, int b, int c, int d, int e, int f, int g, int h, int i) { return ((((((((a * 2 + b) * 2 + c) * 2 + d) * 2 + e) * 2 + f) * 2 + g) * 2 + h) * 2 + i); }

static double alternate(int a, double b, int c, double d, int e, double f, int g, double h, int i, double j, int k, double l, int m, double n, int o, double p, int q, double r, int s, double t) {
    return a - b + c - d + e - f + g - h + i - j + k - l + m - n + o - p + q - r + s - t;
}

static int rotate(int n, int a, int b, int c, int d, int e, int f, int g) {
    return n == 0 ? a * 100 + g : rotate(n - 1, b, c, d, e, f, g, a);
}

int main(void) {
    int count = 3;
    long long r = mix(-1, -2, 3, -400000000000LL, 1.5f, -2.5, 250, 60000, 4000000000u, 1ULL << 40, 1, (struct pair){6, -7}, "xyz", 0.25, -8, &count);
    printf("%lld %d\n", r, count);
    printf("%d\n", nine(1, 0, 1, 1, 0, 0, 1, 0, 1));
    printf("%.3f\n", alternate(1, .5, 2, .25, 3, .125, 4, .5, 5, .25, 6, .125, 7, .5, 8, .25, 9, .125, 10, .5));
    printf("%d %d\n", rotate(0, 1, 2, 3, 4, 5, 6, 7), rotate(10, 1, 2, 3, 4, 5, 6, 7));
    printf("%d%d%d%d%d%d%d%d%d%d%c%s\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, '!', "end");
    return (int)(r % 100 + 100) % 100;
}
