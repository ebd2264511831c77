// Assembly code: locked and other arithmetic on memory and registers, with all flags.
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252u;

// Numbers with few bits and with many, and those at the edges.
static uint64_t any(void)
{
    static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
        0x7fffffff, 0x80000000u, 0xffffffffu, 0x7fffffffffffffffu, 0x8000000000000000u,
        0xffffffffffffffffu};
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % 3 == 0)
        return edges[(state >> 8) % (sizeof edges / sizeof edges[0])];
    return state;
}

#define FLAGS "=@ccc"(c), "=@ccz"(z), "=@ccs"(s), "=@cco"(o), "=@ccp"(p)
#define SHOW(what) \
    printf("%s %llx %llx: %llx %d%d%d%d%d\n", what, (unsigned long long)a, \
        (unsigned long long)b, (unsigned long long)m, c, z, s, o, p)

// `op source, memory`, `op source, register`, and the same with a constant.
#define BINARY(type, op, lock)                                              \
    for (int i = 0; i < 12; i++) {                                          \
        type a = (type)any(), b = (type)any(), m = a, r = a;                \
        int c, z, s, o, p;                                                  \
        asm volatile(lock op " %6,%0" : "+m"(m), FLAGS : "r"(b) : "memory"); \
        SHOW(lock op);                                                      \
        asm volatile(op " %6,%0" : "+r"(r), FLAGS : "r"(b));                \
        m = r;                                                              \
        SHOW(op " register");                                               \
        m = a;                                                              \
        b = 5;                                                              \
        asm volatile(lock op " $5,%0" : "+m"(m), FLAGS : : "memory", "cc"); \
        SHOW(lock op " 5");                                                 \
    }

// `stc` is not known, so that flags that stay as they are come from an addition.
#define UNARY(type, add, op, lock)                                            \
    for (int i = 0; i < 12; i++) {                                            \
        type a = (type)any(), b = (type)any(), m = a;                         \
        int c, z, s, o, p;                                                    \
        type carrying = (type)any();                                          \
        asm volatile(add " %7,%6\n\t" lock op " %0"                           \
                     : "+m"(m), FLAGS, "+r"(carrying) : "r"(b) : "memory");   \
        SHOW(lock op);                                                        \
    }

#define ALL(BINARY_SUFFIX, type)                                            \
    BINARY(type, "add" BINARY_SUFFIX, "lock; ")                             \
    BINARY(type, "sub" BINARY_SUFFIX, "lock; ")                             \
    BINARY(type, "and" BINARY_SUFFIX, "lock; ")                             \
    BINARY(type, "or" BINARY_SUFFIX, "lock; ")                              \
    BINARY(type, "xor" BINARY_SUFFIX, "lock; ")                             \
    BINARY(type, "add" BINARY_SUFFIX, "")                                   \
    BINARY(type, "sub" BINARY_SUFFIX, "")                                   \
    BINARY(type, "cmp" BINARY_SUFFIX, "")                                   \
    BINARY(type, "test" BINARY_SUFFIX, "")                                  \
    UNARY(type, "add" BINARY_SUFFIX, "inc" BINARY_SUFFIX, "lock; ")         \
    UNARY(type, "add" BINARY_SUFFIX, "dec" BINARY_SUFFIX, "lock\n\t")       \
    UNARY(type, "add" BINARY_SUFFIX, "not" BINARY_SUFFIX, "lock ")          \
    UNARY(type, "add" BINARY_SUFFIX, "inc" BINARY_SUFFIX, "")               \
    UNARY(type, "add" BINARY_SUFFIX, "neg" BINARY_SUFFIX, "")

// Every condition, as `set` sees it.
#define SET(cc)                                                                       \
    for (int i = 0; i < 12; i++) {                                                    \
        uint32_t a = (uint32_t)any(), b = i % 3 ? (uint32_t)any() : a;                \
        unsigned char set = 7;                                                        \
        int moved = 1, other = 2;                                                     \
        asm("cmpl %2,%1; set" cc " %0" : "=&q"(set) : "r"(a), "r"(b) : "cc");         \
        asm("cmpl %2,%1; cmov" cc " %3,%0" : "+&r"(moved) : "r"(a), "r"(b), "r"(other)); \
        printf("set%s %x %x: %d %d\n", cc, a, b, set, moved);                         \
    }

int main(void)
{
    ALL("b", uint8_t)
    ALL("w", uint16_t)
    ALL("l", uint32_t)
    ALL("q", uint64_t)
    SET("o") SET("no") SET("b") SET("ae") SET("e") SET("ne") SET("be") SET("a")
    SET("s") SET("ns") SET("p") SET("np") SET("l") SET("ge") SET("le") SET("g")
    SET("c") SET("nc") SET("z") SET("nz") SET("nae") SET("nb") SET("na") SET("nbe")
    SET("pe") SET("po") SET("nge") SET("nl") SET("ng") SET("nle")
    return 0;
}
