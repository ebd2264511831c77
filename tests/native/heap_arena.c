// Arena allocator and free list carved from one heap block, with alignment by hand.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena {
    char *base;
    size_t used, size;
};

static void *take(struct arena *a, size_t n, size_t align) {
    size_t start = (a->used + align - 1) & ~(align - 1);
    if (start + n > a->size)
        return NULL;
    a->used = start + n;
    return memset(a->base + start, 0, n);
}

struct block {
    struct block *next;
    double payload;
};

int main(void) {
    struct arena a = {malloc(512), 0, 512};
    if (!a.base)
        return 88;
    char *c = take(&a, 3, 1);
    int *i = take(&a, sizeof(int) * 4, _Alignof(int));
    double *d = take(&a, sizeof(double), _Alignof(double));
    printf("%d %d %d\n", (int)(c - a.base), (int)((char *)i - a.base), (int)((char *)d - a.base));
    memcpy(c, "ok", 3);
    for (int k = 0; k < 4; k++)
        i[k] = k * k - 3;
    *d = 2.5;
    struct block *pool = NULL;
    int blocks = 0;
    for (struct block *b; (b = take(&a, sizeof *b, _Alignof(struct block))) != NULL; blocks++) {
        b->payload = blocks * *d;
        b->next = pool;
        pool = b;
    }
    double total = 0;
    for (struct block *b = pool; b; b = b->next)
        total += b->payload;
    printf("%s %d %d %.1f %d\n", c, i[0], i[3], total, blocks);
    printf("%d %d\n", (int)a.used, take(&a, 64, 8) == NULL);
    free(a.base);
    char *aligned = aligned_alloc(64, 128);
    if (!aligned)
        return 87;
    printf("%d\n", (int)((uintptr_t)aligned % 64));
    free(aligned);
    return blocks * 2;
}
