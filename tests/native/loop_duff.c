// Duff's device and other interleavings of switch and loops.
// also: -m32
#include <stdio.h>

static void copy(short *to, const short *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
        case 7:
            *to++ = *from++;
        case 6:
            *to++ = *from++;
        case 5:
            *to++ = *from++;
        case 4:
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
        } while (--n > 0);
    }
}

struct generator {
    int line, i, j;
};

static int next(struct generator *g) {
    switch (g->line) {
    case 0:
        for (g->i = 0; g->i < 3; g->i++) {
            for (g->j = 0; g->j <= g->i; g->j++) {
                g->line = 1;
                return g->i * 10 + g->j;
            case 1:;
            }
            g->line = 2;
            return -1;
        case 2:;
        }
    }
    g->line = 3;
    return -2;
}

int main(void) {
    short a[40], b[40];
    int h = 0;
    for (int n = 1; n < 40; n += 3) {
        for (int i = 0; i < 40; i++) {
            a[i] = (short)(i * n);
            b[i] = -1;
        }
        copy(b, a, n);
        for (int i = 0; i < 40; i++)
            h = (h * 5 + b[i] + 1) % 65537;
    }
    printf("%d\n", h);
    struct generator g = {0};
    for (int v; (v = next(&g)) != -2;)
        printf("%d ", v);
    puts("");
    return h % 100;
}
