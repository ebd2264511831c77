// intptr_t round trips and tags kept in the low bits of aligned pointers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct cell {
    long value;
    uintptr_t link;
};

static uintptr_t pack(struct cell *c, unsigned tag) { return (uintptr_t)c | (tag & 7u); }
static struct cell *unpack(uintptr_t p) { return (struct cell *)(p & ~(uintptr_t)7); }

int main(void) {
    uintptr_t head = 0;
    for (int i = 0; i < 10; i++) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            return 110;
        c->value = i * 11;
        c->link = head;
        head = pack(c, (unsigned)i * 3);
    }
    unsigned tags = 0;
    long total = 0;
    while (unpack(head)) {
        struct cell *c = unpack(head);
        unsigned tag = head & 7;
        printf("%ld:%u ", c->value, tag);
        tags = tags * 5 + tag;
        total += c->value;
        head = c->link;
        free(c);
    }
    printf("\n%u %ld\n", tags, total);
    int a[4] = {1, 2, 3, 4};
    intptr_t ip = (intptr_t)&a[1];
    ip += sizeof(int);
    printf("%d\n", *(int *)ip);
    printf("%d\n", (int)(((intptr_t)&a[3] - (intptr_t)&a[0]) / (intptr_t)sizeof *a));
    void *v = a + 2;
    uint64_t wide = (uint64_t)(uintptr_t)v;
    printf("%d %d\n", (void *)(uintptr_t)wide == v, *(int *)(void *)(uintptr_t)wide);
    printf("%d %d\n", (intptr_t)(void *)0 == 0, (void *)(intptr_t)0 == NULL);
    return (int)(tags % 101);
}
