// Prefix and postfix increments and decrements on every kind of lvalue.
// also: -m32
#include <stdio.h>

struct node {
    unsigned char small;
    int big;
    unsigned bits : 3;
    signed sbits : 4;
    double d;
    int *p;
};

static int global = 5;
static short table[4] = {1, 2, 3, 4};
static short *cursor = table;

int main(void) {
    int i = 0;
    printf("%d ", i++);
    printf("%d ", ++i);
    printf("%d ", i--);
    printf("%d\n", --i);
    printf("%d %d\n", global++, table[0]);
    printf("%d ", *cursor++);
    printf("%d\n", *cursor);
    printf("%d ", ++*cursor);
    printf("%d ", (*cursor)++);
    printf("%d ", *++cursor);
    printf("%d\n", *cursor--);
    int arr[3] = {10, 20, 30};
    struct node n = {255, -1, 7, 7, 0.5, arr};
    struct node *q = &n;
    q->small++;
    q->big++;
    q->bits++;
    n.sbits--;
    n.d++;
    --q->d;
    ++q->d;
    printf("%d %d %u %d %.1f\n", n.small, n.big, n.bits, n.sbits, n.d);
    printf("%d ", *n.p++);
    printf("%d ", (*n.p)--);
    printf("%d ", *--n.p);
    printf("%d\n", ++*n.p);
    float f = 0.25f;
    f--;
    printf("%g %g\n", f++, 2.0);
    unsigned char uc = 0;
    uc--;
    signed char sc = 127;
    sc++;
    long long ll = 4294967295LL;
    ll++;
    printf("%d %d %lld\n", uc, sc, ll);
    int idx = 0;
    arr[idx++] += 5;
    arr[idx++]--;
    printf("%d %d %d %d\n", arr[0], arr[1], arr[2], idx);
    return global + idx;
}
