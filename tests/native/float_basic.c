// Double arithmetic and printing with %f, %e and %g in several precisions.
#include <stdio.h>

int main(void) {
    double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e10, 1e-10, 123456.789, 1e300, 5e-324};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] < 1e20)
            printf("%f %e %g\n", values[i], values[i], values[i]);
        else
            printf("%e %g\n", values[i], values[i]);
    printf("%.0f %.1f %.2f %.10f\n", 2.5, 0.25, 1.005, 1.0 / 3);
    printf("%8.3f|%-8.3f|%+.2f|%08.2f|% .1f\n", 3.14159, 3.14159, 3.14159, -3.14159, 3.14159);
    printf("%.3e %E %G %g %g\n", 12345.678, 0.00012, 1e-7, 100000.0, 1000000.0);
    double sum = 0;
    for (int i = 1; i <= 1000; i++)
        sum += 1.0 / i;
    printf("%.12f\n", sum);
    double p = 1;
    for (int i = 0; i < 60; i++)
        p *= 0.5;
    printf("%.10g\n", p);
    float f = 0.1f;
    printf("%.10f %.10f %d\n", (double)f, (double)(f * 3), f == 0.1);
    float acc = 0;
    for (int i = 0; i < 100; i++)
        acc += f;
    printf("%.6f\n", (double)acc);
    printf("%.3f %.3f\n", -7.0 / 2, 7.0 / -2);
    return (int)(sum * 10);
}
