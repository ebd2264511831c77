// Heap sort, insertion sort, shell sort, counting sort and radix sort compared.
#include <stdio.h>
#include <string.h>

#define N 120

static void sift(unsigned *v, int root, int n) {
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && v[child] < v[child + 1])
            child++;
        if (v[root] >= v[child])
            return;
        unsigned t = v[root];
        v[root] = v[child];
        v[child] = t;
    }
}
static void heap_sort(unsigned *v, int n) {
    for (int i = n / 2; i-- > 0;)
        sift(v, i, n);
    while (--n > 0) {
        unsigned t = v[0];
        v[0] = v[n];
        v[n] = t;
        sift(v, 0, n);
    }
}
static void insertion_sort(unsigned *v, int n) {
    for (int i = 1; i < n; i++) {
        unsigned x = v[i];
        int j = i;
        for (; j && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}
static void shell_sort(unsigned *v, int n) {
    for (int gap = n / 2; gap; gap /= 2)
        for (int i = gap; i < n; i++)
            for (int j = i; j >= gap && v[j - gap] > v[j]; j -= gap)
                v[j] ^= v[j - gap], v[j - gap] ^= v[j], v[j] ^= v[j - gap];
}
static void radix_sort(unsigned *v, int n) {
    unsigned t[N];
    for (int shift = 0; shift < 32; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < n; i++)
            start[(v[i] >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++)
            start[k + 1] += start[k];
        for (int i = 0; i < n; i++)
            t[start[v[i] >> shift & 255]++] = v[i];
        memcpy(v, t, (size_t)n * sizeof *v);
    }
}

int main(void) {
    static const struct {
        const char *name;
        void (*sort)(unsigned *, int);
    } sorts[] = {{"heap", heap_sort}, {"insertion", insertion_sort}, {"shell", shell_sort}, {"radix", radix_sort}};
    unsigned all = 0;
    for (int k = 0; k < 4; k++) {
        unsigned v[N], x = 99, h = 0;
        for (int i = 0; i < N; i++) {
            x = x * 1103515245u + 12345u;
            v[i] = x ^ x >> 15;
        }
        sorts[k].sort(v, N);
        int ordered = 1;
        for (int i = 0; i < N; i++) {
            ordered &= i == 0 || v[i - 1] <= v[i];
            h = h * 17 + v[i];
        }
        printf("%s %d %08x\n", sorts[k].name, ordered, h);
        all ^= h + (unsigned)k;
    }
    return (int)(all % 126);
}
