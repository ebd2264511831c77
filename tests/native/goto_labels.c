// goto out of nested loops, into loops, backwards and for cleanup.
// also: -m32
#include <stdio.h>
#include <stdlib.h>

static int find(int m[4][5], int what) {
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 5; j++)
            if (m[i][j] == what)
                goto found;
    return -1;
found:
    return i * 10 + j;
}

static int into_loop(int start) {
    int i = start, n = 0;
    goto middle;
    for (i = 0; i < 10; i++) {
        n += 100;
    middle:
        n += i;
    }
    return n;
}

static int backwards(unsigned n) {
    int steps = 0;
again:
    if (n == 1)
        goto done;
    steps++;
    if (n % 2) {
        n = 3 * n + 1;
        goto again;
    }
    n /= 2;
    goto again;
done:
    return steps;
}

static int cleanup(int fail_at) {
    int result = 0;
    char *a = malloc(4), *b = NULL, *c = NULL;
    if (!a || fail_at == 1)
        goto free_a;
    b = malloc(8);
    if (!b || fail_at == 2)
        goto free_b;
    c = malloc(16);
    if (!c || fail_at == 3)
        goto free_c;
    result = 100;
free_c:
    free(c);
    result++;
free_b:
    free(b);
    result++;
free_a:
    free(a);
    result++;
    return result;
}

int main(void) {
    int m[4][5];
    for (int i = 0; i < 20; i++)
        m[i / 5][i % 5] = i * 3;
    printf("%d %d\n", find(m, 36), find(m, 37));
    printf("%d %d\n", into_loop(7), into_loop(20));
    printf("%d %d\n", backwards(27), backwards(1));
    for (int i = 0; i < 4; i++)
        printf("%d ", cleanup(i));
    puts("");
    return backwards(97);
}
