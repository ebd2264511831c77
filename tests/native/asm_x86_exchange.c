// Assembly code: exchanges, with and without comparison, in all sizes.
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 1181783497276652981u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % 4 == 0 ? state & 3 : state;
}

#define FLAGS "=@ccc"(c), "=@ccz"(z), "=@ccs"(s), "=@cco"(o), "=@ccp"(p)
#define SHOW(what) \
    printf("%s: %llx %llx %llx %d%d%d%d%d\n", what, (unsigned long long)a, \
        (unsigned long long)b, (unsigned long long)m, c, z, s, o, p)

#define SIZES(type, suffix)                                                         \
    for (int i = 0; i < 16; i++) {                                                  \
        type m = (type)any(), a = i % 2 ? (type)any() : m, b = (type)any();         \
        int c = 0, z = 0, s = 0, o = 0, p = 0;                                      \
        asm volatile("lock; xadd" suffix " %0,%1"                                   \
                     : "+r"(b), "+m"(m), FLAGS : : "memory");                       \
        SHOW("xadd" suffix);                                                        \
        asm volatile("xadd" suffix " %0,%1" : "+r"(b), "+r"(m), FLAGS);             \
        SHOW("xadd registers " suffix);                                             \
        asm volatile("xchg" suffix " %0,%1" : "+r"(b), "+m"(m) : : "memory");       \
        SHOW("xchg" suffix);                                                        \
        asm volatile("xchg" suffix " %1,%0" : "+r"(b), "+m"(m) : : "memory");       \
        SHOW("xchg" suffix " the other way");                                       \
        asm volatile("xchg %0,%1" : "+r"(b), "+r"(a));                              \
        SHOW("xchg registers " suffix);                                             \
        m = i % 2 ? m : a;                                                          \
        asm volatile("lock; cmpxchg" suffix " %7,%0"                                \
                     : "+m"(m), "+a"(a), FLAGS : "r"(b) : "memory");                \
        SHOW("cmpxchg" suffix);                                                     \
        m = i % 3 ? m : a;                                                          \
        asm volatile("cmpxchg" suffix " %7,%0"                                      \
                     : "+m"(m), "+a"(a), FLAGS : "r"(b) : "memory");                \
        SHOW("cmpxchg without lock " suffix);                                       \
        m = i % 3 ? m : a;                                                          \
        asm volatile("cmpxchg" suffix " %7,%0" : "+r"(m), "+a"(a), FLAGS : "r"(b)); \
        SHOW("cmpxchg registers " suffix);                                          \
    }

static void pairs(void)
{
    for (int i = 0; i < 16; i++) {
        _Alignas(16) struct { uint64_t low, high; } m = {any(), any()};
        uint64_t low = i % 2 ? m.low : any(), high = i % 4 ? m.high : any();
        uint64_t new_low = any(), new_high = any();
        unsigned char done;
        asm volatile("lock; cmpxchg16b %1\n\tsetz %0"
                     : "=q"(done), "+m"(m), "+a"(low), "+d"(high)
                     : "b"(new_low), "c"(new_high) : "memory", "cc");
        printf("cmpxchg16b: %d %llx %llx %llx %llx\n", done, (unsigned long long)m.low,
            (unsigned long long)m.high, (unsigned long long)low, (unsigned long long)high);
        uint64_t narrow = any();
        uint32_t eax = i % 2 ? (uint32_t)narrow : (uint32_t)any();
        uint32_t edx = i % 4 ? (uint32_t)(narrow >> 32) : (uint32_t)any();
        int equal;
        asm volatile("lock cmpxchg8b (%%rsi)"
                     : "=@cce"(equal), "+a"(eax), "+d"(edx)
                     : "S"(&narrow), "b"((uint32_t)new_low), "c"((uint32_t)new_high)
                     : "memory");
        printf("cmpxchg8b: %d %llx %x %x\n", equal, (unsigned long long)narrow, eax, edx);
    }
}

// As older libraries have them.
static int compare_and_set(volatile unsigned long *lock, unsigned long old, unsigned long set)
{
    unsigned char res;
    asm volatile("lock;    cmpxchgq  %3, %1;   sete      %0;   "
                 : "=a"(res) : "m"(*lock), "a"(old), "r"(set) : "cc", "memory");
    return res;
}

static int dec_and_test(int *p)
{
    unsigned char c;
    asm volatile("lock; decl %0; sete %1" : "=m"(*p), "=qm"(c) : "m"(*p) : "memory");
    return c != 0;
}

static void *swap(void **place, void *with)
{
    asm volatile("xchgq %0,%1" : "=r"(with), "=m"(*place) : "0"(with), "m"(*place) : "memory");
    return with;
}

static int replace(void **place, void *old, void *with)
{
    void *seen;
    asm volatile("lock; cmpxchgq %1,%2" : "=a"(seen) : "r"(with), "m"(*place), "0"(old) : "memory");
    return seen == old;
}

int main(void)
{
    SIZES(uint8_t, "b")
    SIZES(uint16_t, "w")
    SIZES(uint32_t, "l")
    SIZES(uint64_t, "q")
    pairs();
    unsigned long lock = 3;
    int done = compare_and_set(&lock, 3, 9);
    printf("%d %lu\n", done, lock);
    done = compare_and_set(&lock, 3, 4);
    printf("%d %lu\n", done, lock);
    int count = 2;
    printf("%d\n", dec_and_test(&count));
    printf("%d\n", dec_and_test(&count));
    int first = 1, second = 2;
    void *place = &first;
    printf("%d\n", *(int *)swap(&place, &second));
    printf("%d\n", replace(&place, &first, 0));
    printf("%d\n", replace(&place, &second, &first));
    printf("%d\n", *(int *)place);
    return 0;
}
