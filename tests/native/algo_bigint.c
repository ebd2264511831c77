// Big integer addition, multiplication and factorials in decimal digits.
#include <stdio.h>
#include <string.h>

#define DIGITS 160
typedef struct {
    int n;
    unsigned char d[DIGITS];
} big;

static big from(unsigned v) {
    big b = {0};
    do
        b.d[b.n++] = (unsigned char)(v % 10);
    while (v /= 10);
    return b;
}

static big add(big a, big b) {
    big r = {0};
    int carry = 0;
    for (int i = 0; i < a.n || i < b.n || carry; i++) {
        int s = a.d[i] + b.d[i] + carry;
        r.d[r.n++] = (unsigned char)(s % 10);
        carry = s / 10;
    }
    return r;
}

static big multiply(const big *a, const big *b) {
    big r = {0};
    for (int i = 0; i < a->n; i++) {
        int carry = 0;
        for (int j = 0; j < b->n || carry; j++) {
            int s = r.d[i + j] + (j < b->n ? a->d[i] * b->d[j] : 0) + carry;
            r.d[i + j] = (unsigned char)(s % 10);
            carry = s / 10;
        }
    }
    r.n = a->n + b->n;
    while (r.n > 1 && r.d[r.n - 1] == 0)
        r.n--;
    return r;
}

static void show(const big *b) {
    for (int i = b->n; i-- > 0;)
        putchar('0' + b->d[i]);
    putchar('\n');
}

int main(void) {
    big a = from(0), b = from(1);
    for (int i = 0; i < 200; i++) {
        big c = add(a, b);
        a = b;
        b = c;
    }
    show(&a);
    big f = from(1);
    for (unsigned i = 2; i <= 50; i++) {
        big k = from(i);
        f = multiply(&f, &k);
    }
    show(&f);
    big s = multiply(&a, &a);
    show(&s);
    int sum = 0;
    for (int i = 0; i < f.n; i++)
        sum += f.d[i];
    return sum % 126;
}
