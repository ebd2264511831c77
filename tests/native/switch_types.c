// switch on char, unsigned char, long long, unsigned, _Bool and enum operands.
#include <stdio.h>

enum day { MON, TUE, SAT = 10, SUN };

static int on_char(char c) {
    switch (c) {
    case 'a': return 1;
    case '\n': return 2;
    case (char)-1: return 3;
    case '\0': return 4;
    }
    return 0;
}

static const char *on_long(long long v) {
    switch (v) {
    case 0x100000000LL: return "2^32";
    case -0x100000000LL: return "-2^32";
    case 0: return "zero";
    case 0x7fffffffffffffffLL: return "max";
    default: return "other";
    }
}

static int on_unsigned(unsigned v) {
    switch (v) {
    case 0xffffffffu: return 1;
    case 0x80000000u: return 2;
    case 3u: return 3;
    }
    return 4;
}

static int on_enum(enum day d) {
    switch (d) {
    case MON:
    case TUE:
        return 8;
    case SAT:
        return 2;
    case SUN:
        return 0;
    }
    return -1;
}

static int on_byte(unsigned char c) {
    switch (c >> 6) {
    case 0: case 1: return 1;
    case 2: return 0;
    case 3: return c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    }
    return -1;
}

static int on_bool(_Bool b) {
    switch (b ? 1 : 0) {
    case 0: return 50;
    case 1: return 60;
    }
    return 70;
}

int main(void) {
    printf("%d %d %d %d %d\n", on_char('a'), on_char('\n'), on_char((char)255), on_char(0), on_char('b'));
    printf("%s %s %s %s %s\n", on_long(1LL << 32), on_long(-(1LL << 32)), on_long(0), on_long(~0ULL >> 1), on_long(1));
    printf("%d %d %d %d\n", on_unsigned(-1), on_unsigned(1u << 31), on_unsigned(3), on_unsigned(4));
    printf("%d %d %d\n", on_enum(TUE), on_enum(SUN), on_enum(SAT));
    int bytes = 0;
    for (const char *p = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"; *p; p++)
        bytes = bytes * 5 + on_byte((unsigned char)*p);
    printf("%d\n", bytes);
    return on_bool(7) + on_bool(0);
}
