// Sieve of Eratosthenes in a bit array, prime factors, and the totient function.
// also: -m32
#include <stdio.h>
#include <string.h>

#define LIMIT 5000
static unsigned char composite[LIMIT / 8 + 1];

static int is_prime(int n) { return n >= 2 && !(composite[n >> 3] >> (n & 7) & 1); }

static int totient(int n) {
    int r = n;
    for (int p = 2; p * p <= n; p++)
        if (n % p == 0) {
            while (n % p == 0)
                n /= p;
            r -= r / p;
        }
    return n > 1 ? r - r / n : r;
}

static void factor(unsigned long long n) {
    printf("%llu =", n);
    for (unsigned long long p = 2; p * p <= n; p++)
        while (n % p == 0) {
            printf(" %llu", p);
            n /= p;
        }
    if (n > 1)
        printf(" %llu", n);
    puts("");
}

int main(void) {
    for (int i = 2; i * i < LIMIT; i++)
        if (is_prime(i))
            for (int j = i * i; j < LIMIT; j += i)
                composite[j >> 3] |= (unsigned char)(1 << (j & 7));
    int count = 0, twins = 0;
    long sum = 0;
    for (int i = 0; i < LIMIT; i++)
        if (is_prime(i)) {
            count++;
            sum += i;
            twins += is_prime(i - 2);
        }
    printf("%d %ld %d\n", count, sum, twins);
    int t = 0;
    for (int i = 1; i <= 100; i++)
        t += totient(i);
    printf("%d\n", t);
    factor(360);
    factor(9999991);
    factor(1099511627777ULL);
    return count % 125;
}
