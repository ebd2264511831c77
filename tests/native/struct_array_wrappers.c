// Arrays inside structures passed and returned by value, chained calls on temporaries.
#include <stdio.h>

struct row {
    int v[4];
};
struct grid {
    struct row r[3];
};
struct text {
    char s[12];
    unsigned char n;
};

static struct row row_of(int a, int b, int c, int d) { return (struct row){{a, b, c, d}}; }
static struct row add(struct row a, struct row b) {
    for (int i = 0; i < 4; i++)
        a.v[i] += b.v[i];
    return a;
}
static struct grid stack(struct row a, struct row b, struct row c) { return (struct grid){{a, b, c}}; }
static struct grid flip(struct grid g) {
    struct row t = g.r[0];
    g.r[0] = g.r[2];
    g.r[2] = t;
    return g;
}
static struct text put(struct text t, char c) {
    if (t.n < sizeof t.s - 1)
        t.s[t.n++] = c;
    return t;
}
static int total(const struct grid *g) {
    int t = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            t += g->r[i].v[j] * (i * 4 + j);
    return t;
}

int main(void) {
    struct row a = row_of(1, 2, 3, 4), b = add(a, row_of(10, 20, 30, 40));
    printf("%d %d %d\n", a.v[0], b.v[0], add(b, b).v[3]);
    struct grid g = stack(a, b, add(a, a)), h = flip(g);
    printf("%d %d\n", total(&g), total(&h));
    printf("%d\n", flip(flip(g)).r[1].v[2]);
    g = flip(g);
    g.r[1] = g.r[0];
    printf("%d %d\n", g.r[1].v[1], total(&g));
    struct text t = {"", 0};
    for (const char *p = "overlong text"; *p; p++)
        t = put(t, *p);
    printf("%s %d\n", t.s, t.n);
    printf("%s\n", put(put((struct text){"ab", 2}, 'c'), 'd').s);
    struct row rows[3] = {a, b}, *last = &rows[2];
    *last = rows[1];
    rows[1].v[0] = -1;
    printf("%d %d\n", last->v[0], rows[1].v[0]);
    return total(&h) % 126;
}
