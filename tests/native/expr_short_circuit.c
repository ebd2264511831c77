// Short-circuit evaluation, ternaries and comma operators with observable side effects.
// also: -m32
#include <stdio.h>

static int trace;
static int yes(int id) {
    trace = trace * 3 % 1000003 + id;
    printf("y%d ", id);
    return 1;
}
static int no(int id) {
    trace = trace * 5 % 1000003 + id;
    printf("n%d ", id);
    return 0;
}

int main(void) {
    int r = 0;
    r += yes(1) && no(2) && yes(3);
    r += no(4) || yes(5) || no(6);
    r += (yes(7) || no(8)) && (no(9) || yes(10));
    r += !(yes(11) && yes(12)) || no(13);
    puts("");
    printf("%d\n", r);
    int a = yes(14) ? no(15) ? 1 : yes(16) ? 2 : 3 : 4;
    int b = (no(17), yes(18), 42);
    puts("");
    printf("%d %d\n", a, b);
    int x = 3, y = 4;
    int *p = x > y ? &x : &y;
    *p += 10;
    (x < y ? x : y) ? x++ : y++;
    printf("%d %d\n", x, y);
    const char *s = 0;
    if (s && *s)
        puts("never");
    for (int i = 0, j = 10; i < j; i++, j -= 2)
        printf("%d:%d ", i, j);
    puts("");
    unsigned u = 1 ? -1 : 2u;
    long long w = x ? -1 : 0LL;
    printf("%u %lld %.1f\n", u, w, x ? 1 : 2.5);
    printf("%d\n", trace);
    return trace % 100;
}
