// Unions: reading through other members, common prefixes, unions of structures and arrays.
#include <stdint.h>
#include <stdio.h>

union word {
    uint32_t u;
    int32_t i;
    uint16_t h[2];
    uint8_t b[4];
};
union wide {
    uint64_t q;
    union word w[2];
    double d;
};
struct variant {
    enum { INT, REAL, TEXT } kind;
    union {
        int i;
        double r;
        const char *t;
    } u;
};

static int show(struct variant v) {
    switch (v.kind) {
    case INT:
        return printf("int %d\n", v.u.i);
    case REAL:
        return printf("real %.2f\n", v.u.r);
    case TEXT:
        return printf("text %s\n", v.u.t);
    }
    return 0;
}

static union word twist(union word w) {
    uint8_t t = w.b[0];
    w.b[0] = w.b[3];
    w.b[3] = t;
    return w;
}

int main(void) {
    union word w = {0x80ff0102u};
    printf("%d %u %u\n", w.i, w.h[0], w.h[1]);
    for (int i = 0; i < 4; i++)
        printf("%u ", w.b[i]);
    puts("");
    w.b[2] = 7;
    printf("%08x %08x\n", w.u, twist(w).u);
    union wide v = {.d = -1.5};
    printf("%016llx %08x %04x\n", (unsigned long long)v.q, v.w[1].u, v.w[1].h[1]);
    v.w[0].i = -1;
    printf("%.17g\n", v.d);
    struct variant vs[] = {{INT, {.i = -4}}, {REAL, {.r = 2.25}}, {TEXT, {.t = "seven"}}};
    int n = 0;
    for (int i = 0; i < 3; i++)
        n += show(vs[i]);
    vs[0] = vs[2];
    n += show(vs[0]);
    return n;
}
