// Conversions between floating types and every integer type, all in range.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    double ds[] = {0.0, 0.99, -0.99, 1.5, -1.5, 100.7, -100.7, 127.0, -128.0};
    int sum = 0;
    for (int i = 0; i < 9; i++) {
        signed char c = (signed char)ds[i];
        short s = (short)(ds[i] * 100);
        int n = (int)(ds[i] * 1e6);
        long long l = (long long)(ds[i] * 1e15);
        printf("%d %d %d %lld\n", c, s, n, l);
        sum += c + s;
    }
    double us[] = {0.4, 200.9, 255.0};
    for (int i = 0; i < 3; i++) {
        unsigned char c = (unsigned char)us[i];
        uint16_t s = (uint16_t)(us[i] * 256);
        uint32_t n = (uint32_t)(us[i] * 16777216.0);
        uint64_t l = (uint64_t)(us[i] * 72057594037927936.0);
        printf("%u %u %u %llu\n", c, s, n, (unsigned long long)l);
        sum += c;
    }
    printf("%.1f %.1f %.1f\n", (double)(signed char)-5, (double)(unsigned short)65535, (double)-2147483647);
    printf("%.1f %.1f\n", (double)4294967295u, (double)18446744073709551615u);
    printf("%.1f %.1f\n", (double)(float)16777217, (double)9007199254740993LL);
    printf("%.1f %.1f\n", (double)(float)4000000001u, (double)(float)-9000000000000000001LL);
    printf("%.1f\n", (double)(float)18446744073709551615u);
    float f = 3.999f;
    double d = f;
    int i = f;
    unsigned u = f;
    _Bool b = 0.001f;
    printf("%.6f %d %u %d\n", d, i, u, b);
    printf("%.9f\n", (double)(float)0.123456789);
    return sum & 0x7f ? (sum & 0x3f) + 1 : 0;
}
