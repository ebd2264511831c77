// Atomic pointers, 64-bit atomics, atomic members, atomic floats and a one-thread lock-free stack.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
static struct node *_Atomic top;
static _Atomic long total = 1L << 40;
static _Atomic uint64_t mask = UINT64_MAX;
static _Atomic double level = 1.5;
struct stats {
    atomic_long hits;
    atomic_int misses[2];
};

static void push(int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(85);
    n->value = v;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&top, &n->next, n))
        ;
}

static int pop(void) {
    struct node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_weak(&top, &n, n->next))
        ;
    if (!n)
        return -1;
    int v = n->value;
    free(n);
    return v;
}

int main(void) {
    for (int i = 0; i < 6; i++)
        push(i * i);
    for (int i = 0; i < 7; i++)
        printf("%d ", pop());
    puts("");
    printf("%ld\n", atomic_fetch_add(&total, -5L));
    total ^= 3;
    printf("%ld\n", total);
    mask <<= 4;
    mask -= 1;
    printf("%llx\n", (unsigned long long)mask);
    level *= 3;
    level += 0.25;
    printf("%.3f\n", level);
    int a[5] = {1, 2, 3, 4, 5};
    int *_Atomic p = a;
    int *before = atomic_fetch_add(&p, 3);
    printf("%d %d\n", *before, *p);
    p--;
    int *old = atomic_exchange(&p, a + 4);
    printf("%d %d\n", *old, *atomic_load(&p));
    struct stats s = {0};
    for (int i = 0; i < 10; i++)
        if (i % 3)
            atomic_fetch_add(&s.hits, i);
        else
            s.misses[i & 1]++;
    printf("%ld %d %d\n", s.hits, s.misses[0], s.misses[1]);
    return (int)s.hits;
}
