// switch with fall-through, default in the middle, negative cases and nested switches.
// also: -m32
#include <stdio.h>

static int classify(int v) {
    int r = 0;
    switch (v) {
    case -1:
        r += 1;
        /* fall through */
    case 5:
        r += 10;
        break;
    default:
        r += 100;
        /* fall through */
    case 7:
    case 8:
        r += 1000;
        break;
    case -2147483647 - 1:
        r = -1;
        break;
    case 2147483647:
        return -2;
    }
    return r;
}

static int nested(int a, int b) {
    switch (a) {
    case 0:
        switch (b) {
        case 0:
            return 1;
        case 1:
            break;
        default:
            return 2;
        }
        return 3;
    case 1:
        if (b) {
        case 2:
            return 20 + b;
        }
        return 10;
    }
    return 99;
}

static int loop(const char *p) {
    int depth = 0, most = 0;
    for (;; p++) {
        switch (*p) {
        case '(':
            if (++depth > most)
                most = depth;
            continue;
        case ')':
            depth--;
            continue;
        case 0:
            break;
        default:
            continue;
        }
        break;
    }
    return most * 10 + depth;
}

int main(void) {
    int vs[] = {-1, 5, 6, 7, 8, -2147483647 - 1, 2147483647, 0}, h = 0;
    for (int i = 0; i < 8; i++) {
        printf("%d ", classify(vs[i]));
        h = h * 3 + classify(vs[i]) % 7;
    }
    puts("");
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 3; b++)
            printf("%d ", nested(a, b));
    printf("\n%d %d\n", loop("(a(b)(c(d)))"), loop("((x)"));
    switch (h)
        ;
    return (h % 100 + 100) % 100;
}
