// fabs, floor, ceil, sqrt and fmod from the maths library, and code built on them.
#include <math.h>
#include <stdio.h>

static double newton_sqrt(double x) {
    double g = x > 1 ? x / 2 : 1;
    for (int i = 0; i < 40; i++)
        g = (g + x / g) / 2;
    return g;
}

static double horner(const double *c, int n, double x) {
    double r = 0;
    while (n-- > 0)
        r = r * x + c[n];
    return r;
}

int main(void) {
    double v[] = {-2.5, -2.0, -0.5, 0.0, 0.5, 1.999, 2.5, 1e15};
    for (int i = 0; i < 8; i++)
        printf("%g %g %g\n", fabs(v[i]), floor(v[i]), ceil(v[i]));
    printf("%.10f %.10f %.3f\n", sqrt(2.0), sqrt(1e-4), sqrt(0.0));
    printf("%.4f %.4f %.4f\n", fmod(7.5, 2), fmod(-7.5, 2), fmod(7.5, -2));
    printf("%d\n", fabs(newton_sqrt(2) - sqrt(2)) < 1e-12);
    double c[] = {1, -3, 0.5, 2};
    printf("%.4f %.4f\n", horner(c, 4, 1.5), horner(c, 4, -2));
    double area = 0;
    for (int i = 0; i < 1000; i++) {
        double x = (i + 0.5) / 1000;
        area += 4 / (1 + x * x) / 1000;
    }
    printf("%.6f\n", area);
    int inside = 0;
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++)
            inside += sqrt(i * i + j * j) < 40;
    printf("%d\n", inside);
    return inside % 100;
}
