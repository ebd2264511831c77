// Floats and doubles as parameters, results and members, with implicit conversions in calls.
#include <stdio.h>

struct point {
    float x, y;
};
struct weighted {
    double w;
    struct point p;
    int n;
};

static float halve(float f) { return f / 2; }
static double mix(int i, float f, double d, char c, long l) { return i + f * d - c + l; }
static int truncate_sum(double a, double b) { return a + b; }
static struct point swap(struct point p) { return (struct point){p.y, p.x}; }
static struct weighted scale(struct weighted w, float k) {
    w.w *= k;
    w.p.x *= k;
    w.p.y *= k;
    w.n++;
    return w;
}
static double many(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
    return a - b + c - d + e - f + g - h + i * j;
}

int main(void) {
    printf("%.2f %.2f\n", halve(3), halve(7.5));
    printf("%.3f\n", mix(3.9, 2, 1.5f, 66, 10));
    printf("%d\n", truncate_sum(1.6, 2));
    struct point p = swap((struct point){1.5f, -2.5f});
    printf("%.1f %.1f\n", p.x, p.y);
    struct weighted w = {2.0, {1, 2}, 0};
    for (int i = 0; i < 3; i++)
        w = scale(w, 1.5);
    printf("%.4f %.4f %.4f %d\n", w.w, w.p.x, w.p.y, w.n);
    printf("%.1f\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    float m[2][3] = {{1, 2, 3}, {4, 5, 6}}, t = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            t += m[i][j] * (j - i);
    printf("%g\n", t);
    return (int)w.w * 5 + (int)t;
}
