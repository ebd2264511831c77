// Fixed-width, least, fast and maximum types with their limits, constants and print macros.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    int8_t a = INT8_MIN;
    uint8_t b = UINT8_MAX;
    int16_t c = INT16_MAX;
    uint32_t d = UINT32_C(4000000000);
    int64_t e = INT64_C(-9000000000);
    uint64_t f = UINT64_MAX;
    printf("%" PRId8 " %" PRIu8 " %" PRId16 " %" PRIu32 " %" PRId64 " %" PRIx64 "\n", a, b, c, d, e, f);
    int_least16_t g = -300;
    uint_fast8_t h = 200;
    intmax_t i = INTMAX_MIN;
    uintmax_t j = UINTMAX_MAX;
    printf("%" PRIdLEAST16 " %" PRIuFAST8 " %jd %ju\n", g, h, i, j);
    size_t s = SIZE_MAX;
    ptrdiff_t p = PTRDIFF_MIN;
    printf("%zu %td\n", s, p);
    intptr_t ip = -1;
    uintptr_t up = (uintptr_t)ip;
    printf("%d %d\n", up == UINTPTR_MAX, (intptr_t)up == ip);
    a = (int8_t)(a - 1);
    c = (int16_t)(c + 1);
    d += d;
    printf("%d %d %u\n", a, c, d);
    wchar_t w = L'\x41';
    printf("%d %zu\n", (int)w, sizeof(int_least8_t) + sizeof(uint16_t) + sizeof(int32_t) + sizeof(uint64_t));
    uint32_t x = 0xcafebabe;
    uint16_t lo = (uint16_t)x, hi = (uint16_t)(x >> 16);
    uint32_t swapped = (uint32_t)lo << 16 | hi;
    printf("%" PRIX32 " %" PRIo32 "\n", swapped, swapped);
    return (int)(swapped % 125);
}
