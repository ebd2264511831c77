// Inspecting the bits of floats and doubles through unions and memcpy.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union fbits {
    float f;
    uint32_t u;
};

static uint64_t dbits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static float build(unsigned sign, unsigned exponent, unsigned fraction) {
    union fbits b;
    b.u = sign << 31 | (exponent & 0xff) << 23 | (fraction & 0x7fffff);
    return b.f;
}

int main(void) {
    float fs[] = {0.0f, -0.0f, 1.0f, -2.0f, 0.1f, 1e-40f, 3.4e38f};
    uint32_t h = 0;
    for (int i = 0; i < 7; i++) {
        union fbits b = {fs[i]};
        printf("%08x %u %d %x\n", b.u, b.u >> 31, (int)(b.u >> 23 & 255) - 127, b.u & 0x7fffff);
        h = h * 31 + b.u;
    }
    double dd[] = {1.0, -0.5, 1.0 / 3, 1e308, 5e-324};
    for (int i = 0; i < 5; i++) {
        printf("%016llx\n", (unsigned long long)dbits(dd[i]));
        h ^= (uint32_t)(dbits(dd[i]) >> 17);
    }
    printf("%g %g %g\n", build(0, 127, 0), build(1, 130, 0x400000), build(0, 120, 1));
    union fbits r = {.f = 0.25f};
    r.u += 1u << 23;
    printf("%g\n", r.f);
    float guess;
    uint32_t i;
    float x = 16.0f;
    memcpy(&i, &x, 4);
    i = 0x5f3759df - (i >> 1);
    memcpy(&guess, &i, 4);
    guess = guess * (1.5f - 0.5f * x * guess * guess);
    printf("%.6f\n", guess);
    return (int)(h % 100);
}
