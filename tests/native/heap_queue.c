// Ring-buffer queue and a priority queue on the heap.
#include <stdio.h>
#include <stdlib.h>

struct ring {
    int *cells;
    unsigned head, tail, mask;
};

static int put(struct ring *r, int v) {
    if (r->tail - r->head > r->mask)
        return 0;
    r->cells[r->tail++ & r->mask] = v;
    return 1;
}
static int take(struct ring *r, int *v) {
    if (r->tail == r->head)
        return 0;
    *v = r->cells[r->head++ & r->mask];
    return 1;
}

struct heap {
    long *v;
    int n;
};

static void heap_push(struct heap *h, long x) {
    int i = h->n++;
    while (i > 0 && h->v[(i - 1) / 2] > x) {
        h->v[i] = h->v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->v[i] = x;
}
static long heap_pop(struct heap *h) {
    long top = h->v[0], last = h->v[--h->n];
    int i = 0;
    for (int c; (c = 2 * i + 1) < h->n; i = c) {
        if (c + 1 < h->n && h->v[c + 1] < h->v[c])
            c++;
        if (h->v[c] >= last)
            break;
        h->v[i] = h->v[c];
    }
    h->v[i] = last;
    return top;
}

int main(void) {
    struct ring r = {malloc(8 * sizeof(int)), ~0u - 3, ~0u - 3, 7};
    if (!r.cells)
        return 96;
    int refused = 0, v, sum = 0;
    for (int i = 0; i < 30; i++) {
        refused += !put(&r, i);
        if (i % 3 == 0 && take(&r, &v))
            sum = sum * 3 % 1000 + v;
    }
    while (take(&r, &v))
        sum = sum * 3 % 1000 + v;
    printf("%d %d\n", refused, sum);
    free(r.cells);
    struct heap h = {calloc(32, sizeof(long)), 0};
    for (int i = 0; i < 32; i++)
        heap_push(&h, (i * 37 % 32) * 1000000000L - 5);
    long previous = -100;
    int ordered = 1;
    for (int i = 0; i < 32; i++) {
        long x = heap_pop(&h);
        ordered &= x > previous;
        previous = x;
    }
    printf("%d %ld\n", ordered, previous);
    free(h.v);
    return sum % 100 + refused;
}
