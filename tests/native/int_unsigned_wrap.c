// Unsigned wraparound in addition, subtraction, multiplication and negation.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    uint8_t a = 250;
    uint16_t b = 65530;
    uint32_t c = 4294967290u;
    uint64_t d = 18446744073709551610u;
    for (int i = 0; i < 12; i++) {
        a++;
        b++;
        c++;
        d++;
    }
    printf("%u %u %u %llu\n", a, b, c, (unsigned long long)d);
    a -= 10;
    b -= 10;
    c -= 10;
    d -= 10;
    printf("%u %u %u %llu\n", a, b, c, (unsigned long long)d);
    a *= a;
    b = (uint16_t)((unsigned)b * b);
    c *= c;
    d *= d;
    printf("%u %u %u %llu\n", a, b, c, (unsigned long long)d);
    c = 1;
    d = 1;
    for (int i = 1; i <= 30; i++) {
        c *= 2654435761u;
        d = d * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    printf("%u %llu\n", c, (unsigned long long)d);
    printf("%u %u\n", -c, -(c - c));
    size_t n = 0;
    n--;
    printf("%d %d\n", n == SIZE_MAX, n + 1 == 0);
    unsigned count = 0;
    for (unsigned i = 10; i < 100; i--)
        count += i;
    printf("%u\n", count);
    return (int)(c % 97);
}
