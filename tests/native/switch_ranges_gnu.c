// GNU case ranges, dense and sparse switch tables.
#include <stdio.h>

static char kind(int c) {
    switch (c) {
    case '0' ... '9':
        return 'd';
    case 'a' ... 'f':
        return 'h';
    case 'g' ... 'z':
    case 'A' ... 'Z':
        return 'l';
    case -100 ... -1:
        return 'n';
    case 1000 ... 100000:
        return 'b';
    default:
        return '?';
    }
}

static int dense(unsigned v) {
    switch (v) {
    case 0: return 17;
    case 1: return 4;
    case 2: return 99;
    case 3: return -5;
    case 4: return 12;
    case 5: return 6;
    case 6: return 31;
    case 7: return 8;
    default: return 0;
    }
}

static long sparse(long v) {
    switch (v) {
    case 1: return 1;
    case 100: return 2;
    case 10000: return 3;
    case 1000000: return 4;
    case 10000000000: return 5;
    }
    return -v;
}

int main(void) {
    int vs[] = {'5', 'c', 'q', 'Q', ' ', -1, -100, -101, 999, 1000, 100000, 100001};
    for (int i = 0; i < 12; i++)
        putchar(kind(vs[i]));
    puts("");
    int t = 0;
    for (unsigned i = 0; i < 10; i++)
        t = t * 2 + dense(i);
    printf("%d\n", t);
    long s = 0;
    for (long v = 1; v <= 10000000000; v *= 10)
        s += sparse(v);
    printf("%ld\n", s);
    return t % 100;
}
