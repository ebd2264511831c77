// Quicksort and merge sort of pseudo-random data, checked and digested.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quick(int *v, int lo, int hi) {
    if (lo >= hi)
        return;
    int pivot = v[lo + (hi - lo) / 2], i = lo, j = hi;
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    quick(v, lo, j);
    quick(v, i, hi);
}

static void merge_sort(int *v, int n) {
    if (n < 2)
        return;
    int m = n / 2;
    merge_sort(v, m);
    merge_sort(v + m, n - m);
    int *t = malloc((size_t)n * sizeof *t), i = 0, j = m, k = 0;
    if (!t)
        exit(123);
    while (i < m && j < n)
        t[k++] = v[i] <= v[j] ? v[i++] : v[j++];
    while (i < m)
        t[k++] = v[i++];
    while (j < n)
        t[k++] = v[j++];
    memcpy(v, t, (size_t)n * sizeof *t);
    free(t);
}

static int sorted(const int *v, int n) { return n < 2 || (v[0] <= v[1] && sorted(v + 1, n - 1)); }

int main(void) {
    int a[300], b[300];
    unsigned x = 12345;
    for (int i = 0; i < 300; i++) {
        x = x * 1103515245u + 12345u;
        a[i] = b[i] = (int)(x >> 16) % 2000 - 1000;
    }
    printf("%d\n", sorted(a, 300));
    quick(a, 0, 299);
    merge_sort(b, 300);
    printf("%d %d %d\n", sorted(a, 300), sorted(b, 300), memcmp(a, b, sizeof a));
    unsigned h = 0;
    for (int i = 0; i < 300; i++)
        h = h * 31 + (unsigned)a[i];
    printf("%d %d %u\n", a[0], a[299], h);
    return (int)(h % 111);
}
