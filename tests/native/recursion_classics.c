// Recursion: Ackermann, Fibonacci, greatest common divisor, towers of Hanoi, mutual recursion.
// also: -m32
#include <stdio.h>

static int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int moves;
static void hanoi(int n, char from, char to, char via) {
    if (n == 0)
        return;
    hanoi(n - 1, from, via, to);
    if (moves++ < 5)
        printf("%c%c ", from, to);
    hanoi(n - 1, via, to, from);
}

static long long power(long long b, unsigned e) {
    if (e == 0)
        return 1;
    long long h = power(b, e / 2);
    return e % 2 ? h * h * b : h * h;
}

static void binary(unsigned v) {
    if (v > 1)
        binary(v / 2);
    putchar('0' + (int)(v % 2));
}

int main(void) {
    printf("%d %d\n", ackermann(2, 3), ackermann(1, 20));
    printf("%u %u\n", fib(10), fib(16));
    printf("%u\n", gcd(1071, 462));
    printf("%d %d\n", is_even(100), is_odd(51));
    hanoi(7, 'a', 'c', 'b');
    printf("\n%d\n", moves);
    printf("%lld\n", power(-3, 31));
    binary(0xbeef);
    putchar('\n');
    return moves - 20;
}
