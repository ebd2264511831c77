// Nested for, while and do loops with break and continue at every level.
// also: -m32
#include <stdio.h>

static int primes_below(int n) {
    int count = 0;
    for (int i = 2; i < n; i++) {
        int j = 2;
        while (1) {
            if (j * j > i) {
                count++;
                break;
            }
            if (i % j == 0)
                break;
            j++;
        }
    }
    return count;
}

static int triples(int limit) {
    int found = 0;
    for (int a = 1; a < limit; a++) {
        for (int b = a; b < limit; b++) {
            int c = b;
            do {
                c++;
                if (a * a + b * b < c * c)
                    goto next_b;
                if (a * a + b * b != c * c)
                    continue;
                printf("%d,%d,%d ", a, b, c);
                found++;
            } while (c < limit);
        next_b:;
        }
    }
    puts("");
    return found;
}

int main(void) {
    printf("%d\n", primes_below(200));
    int t = triples(30);
    printf("%d\n", t);
    int i = 0, n = 0;
    do
        n += i;
    while (++i < 5);
    do {
        if (n % 2)
            continue;
        n += 3;
    } while (0);
    printf("%d %d\n", i, n);
    for (;;) {
        if (--n < 0)
            break;
        if (n & 1)
            continue;
        i += n;
    }
    printf("%d %d\n", i, n);
    while (i-- > 0)
        while (n++ < i)
            for (int k = 0; k < 3; k++)
                if (k == 1)
                    break;
                else
                    t++;
    printf("%d %d %d\n", i, n, t);
    unsigned x = 1;
    for (int guard = 0; guard < 1000 && x != 0; guard++, x <<= 1)
        ;
    return t + (int)x;
}
