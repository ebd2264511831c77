// Assembly code: bits of words, moves, fences, pauses, and code without instructions.
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 2463534242u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// The number of a bit in a register reaches beyond the operand.
#define BITS(type, op, suffix, lock)                                                     \
    for (int i = 0; i < 16; i++) {                                                       \
        type words[5];                                                                   \
        for (int j = 0; j < 5; j++)                                                      \
            words[j] = (type)any();                                                      \
        int width = 8 * sizeof(type);                                                    \
        type number = (type)((long)(any() % (5 * width)) - 2 * width);                   \
        int carry, old;                                                                  \
        asm volatile(lock op suffix " %2,%0" : "+m"(words[2]), "=@ccc"(carry)            \
                     : "r"(number) : "memory");                                          \
        asm volatile(lock op suffix " $3,%1\n\tsbbl %0,%0"                               \
                     : "=r"(old), "+m"(words[1]) : : "memory", "cc");                    \
        type word = words[0];                                                            \
        int last;                                                                        \
        asm volatile(op suffix " %2,%0" : "+r"(word), "=@ccc"(last) : "r"(number));      \
        printf("%s%s: %d %d %d %llx", op, suffix, carry, old, last,                      \
            (unsigned long long)word);                                                   \
        for (int j = 0; j < 5; j++)                                                      \
            printf(" %llx", (unsigned long long)words[j]);                               \
        printf("\n");                                                                    \
    }

#define ALL_BITS(type, suffix)            \
    BITS(type, "bt", suffix, "")          \
    BITS(type, "bts", suffix, "lock; ")   \
    BITS(type, "btr", suffix, "lock; ")   \
    BITS(type, "btc", suffix, "lock; ")   \
    BITS(type, "bts", suffix, "")

static void moves(void)
{
    for (int i = 0; i < 8; i++) {
        uint64_t memory[3] = {any(), any(), any()};
        uint64_t whole = any(), loaded;
        uint32_t half;
        uint8_t byte;
        long index = i % 3;
        asm volatile("movq %1,%0" : "=r"(loaded) : "m"(memory[0]));
        asm volatile("movl %1,%k0" : "+r"(whole) : "m"(memory[1]));
        printf("%llx %llx\n", (unsigned long long)loaded, (unsigned long long)whole);
        asm volatile("movb %1,%b0" : "+q"(whole) : "q"((uint8_t)loaded));
        asm volatile("movw $0x1234,%w0" : "+r"(loaded));
        printf("%llx %llx\n", (unsigned long long)loaded, (unsigned long long)whole);
        asm volatile("mov (%1,%2,8),%0" : "=r"(loaded) : "r"(memory), "r"(index));
        asm volatile("mov 8(%1),%k0" : "=r"(half) : "r"(memory));
        printf("%llx %x\n", (unsigned long long)loaded, half);
        asm volatile("movzbl %1,%0" : "=r"(half) : "m"(memory[2]));
        printf("%x\n", half);
        asm volatile("movsbl %b1,%0" : "=r"(half) : "q"(loaded));
        printf("%x\n", half);
        asm volatile("movslq %1,%0" : "=r"(whole) : "r"(half));
        printf("%llx\n", (unsigned long long)whole);
        asm volatile("movb $-1,%0" : "=m"(byte) : : "memory");
        asm volatile("movl %1,%0" : "=m"(half) : "ir"(0x77));
        asm volatile("movq %1,(%0)" : : "r"(memory), "r"(whole) : "memory");
        printf("%x %x %llx\n", byte, half, (unsigned long long)memory[0]);
        asm volatile("xorl %0,%0; cmpq %1,%2; sete %b0" : "=&q"(half) : "r"(whole), "m"(memory[0]));
        printf("%d\n", half);
        asm volatile("movl $7,%%ecx; addl %%ecx,%0" : "+r"(half) : : "ecx", "cc");
        printf("%d\n", half);
        void *pointer;
        asm volatile("{movq %1,%0|mov %0,%1}" : "=r"(pointer) : "r"(memory));
        printf("%d\n", pointer == memory);
    }
}

static void nothing(void)
{
    int x = 5, *p = &x;
    double d = 1.5;
    asm volatile("" : "+r"(x));
    asm volatile("" : "+m"(x) : : "memory");
    asm volatile("" : : "r"(p), "g"(3), "i"(4) : "memory");
    asm volatile("" : "+r"(p));
    asm volatile("# only a comment" : "+x"(d));
    asm volatile("rep; nop" ::: "memory");
    asm volatile("pause; pause");
    asm volatile("mfence; lfence\n\tsfence" ::: "memory");
    asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    asm volatile("lock orq $0x0,-8(%%rsp)" ::: "memory", "cc");
    asm volatile("prefetcht0 %0; clflush %0" : : "m"(x));
    _mm_pause();
    _mm_mfence();
    _mm_lfence();
    _mm_sfence();
    _mm_clflush(p);
    printf("%d %d %g\n", x, *p, d);
    uint32_t low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    uint64_t ticks = __builtin_ia32_rdtsc();
    unsigned processor;
    ticks = __builtin_ia32_rdtscp(&processor);
    (void)ticks;
}

int main(void)
{
    ALL_BITS(uint16_t, "w")
    ALL_BITS(uint32_t, "l")
    ALL_BITS(uint64_t, "q")
    moves();
    nothing();
    return 0;
}
