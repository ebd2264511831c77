// Comparisons and arithmetic with NaN, infinities and signed zeros.
#include <math.h>
#include <stdio.h>

static int relations(double a, double b) {
    return (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
}

int main(void) {
    double zero = 0.0, one = 1.0;
    double inf = HUGE_VAL, nan = inf - inf;
    double v[] = {zero, -zero, one, -one, inf, -inf, nan};
    int h = 0;
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 7; j++) {
            int r = relations(v[i], v[j]);
            printf("%02x ", (unsigned)r);
            h = (h * 33 + r) % 9973;
        }
        puts("");
    }
    printf("%d %d %d\n", nan == nan, nan != nan, !(nan < 1) && !(nan >= 1));
    printf("%d %d\n", !!nan, !-zero);
    printf("%f %f\n", inf, -inf);
    printf("%d %d %d\n", isnan(nan) != 0, isinf(inf) != 0, isnan(one) != 0);
    printf("%d %d\n", signbit(-zero) != 0, signbit(zero) != 0);
    printf("%g %g\n", -zero, zero + -zero);
    printf("%d %d\n", inf + 1 == inf, inf * -1 == -inf);
    float fn = (float)nan, fi = (float)inf;
    printf("%d %d\n", fn != fn, fi > 3e38f);
    printf("%s\n", nan ? "nan is true" : "nan is false");
    printf("%d\n", h);
    return h % 64;
}
