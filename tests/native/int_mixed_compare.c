// Comparisons between operands of different signedness and width.
#include <stdint.h>
#include <stdio.h>

static int score;

static void check(const char *what, int result) {
    score = score * 2 % 1009 + result;
    printf("%-12s %d\n", what, result);
}

int main(void) {
    int8_t i8 = -1;
    uint8_t u8 = 255;
    int16_t i16 = -1;
    uint16_t u16 = 65535;
    int32_t i32 = -1;
    uint32_t u32 = 4294967295u;
    int64_t i64 = -1;
    uint64_t u64 = UINT64_MAX;
    check("i8==u8", i8 == u8);
    check("i16==u16", i16 == u16);
    check("i32==u32", (uint32_t)i32 == u32);
    check("i64==u64", (uint64_t)i64 == u64);
    check("i8==u32", (uint32_t)i8 == u32);
    check("i8<u16", i8 < u16);
    check("i64<u32", i64 < u32);
    check("u64>u32", u64 > u32);
    check("i64==u32", i64 == u32);
    check("i8<=i64", i8 <= i64);
    check("u8>=i8", u8 >= i8);
    check("(i8)u8==i8", (int8_t)u8 == i8);
    check("u16!=i16", u16 != i16);
    check("!u8", !u8);
    check("!!i64", !!i64);
    check("char sign", (char)-1 < 0);
    check("bool", (_Bool)0.5 == 1);
    printf("%d\n", score);
    return score % 126;
}
