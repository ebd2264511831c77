// void pointers: generic swap, generic reverse, a byte-wise printer and conversions.
#include <stdio.h>
#include <string.h>

static void swap(void *a, void *b, size_t n) {
    unsigned char t[32];
    memcpy(t, a, n);
    memcpy(a, b, n);
    memcpy(b, t, n);
}

static void reverse(void *base, size_t count, size_t size) {
    char *lo = base, *hi = lo + (count - 1) * size;
    for (; lo < hi; lo += size, hi -= size)
        swap(lo, hi, size);
}

static unsigned digest(const void *p, size_t n) {
    const unsigned char *b = p;
    unsigned h = 5381;
    while (n--)
        h = h * 33 ^ *b++;
    return h;
}

static const void *largest(const void *base, size_t n, size_t size, int (*less)(const void *, const void *)) {
    const void *best = base;
    for (size_t i = 1; i < n; i++) {
        const void *candidate = (const char *)base + i * size;
        if (less(best, candidate))
            best = candidate;
    }
    return best;
}

static int less_double(const void *a, const void *b) { return *(const double *)a < *(const double *)b; }
static int less_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b) < 0; }

int main(void) {
    int v[5] = {1, 2, 3, 4, 5};
    double d[4] = {0.5, 9.25, -3, 4};
    const char *t[] = {"pear", "zebra", "apple"};
    reverse(v, 5, sizeof *v);
    reverse(d, 4, sizeof *d);
    reverse(t, 3, sizeof *t);
    for (int i = 0; i < 5; i++)
        printf("%d ", v[i]);
    printf("\n%.2f %.2f\n%s %s\n", d[0], d[2], t[0], t[2]);
    printf("%.2f\n", *(const double *)largest(d, 4, sizeof *d, less_double));
    printf("%s\n", *(const char *const *)largest(t, 3, sizeof *t, less_text));
    unsigned h = digest(v, sizeof v) ^ digest(d, sizeof d);
    printf("%08x\n", h);
    return (int)(h & 0x3f);
}
