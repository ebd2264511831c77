// Permutations, subsets and combinations generated recursively.
#include <stdio.h>
#include <string.h>

static int printed, checksum;

static void permute(char *s, int k, int n) {
    if (k == n) {
        if (printed++ < 6)
            printf("%s ", s);
        checksum = (checksum * 31 + s[0] * s[n - 1]) % 10007;
        return;
    }
    for (int i = k; i < n; i++) {
        char t = s[k];
        s[k] = s[i], s[i] = t;
        permute(s, k + 1, n);
        t = s[k];
        s[k] = s[i], s[i] = t;
    }
}

static int subsets(const int *v, int n, int target) {
    if (n == 0)
        return target == 0;
    return subsets(v + 1, n - 1, target) + subsets(v + 1, n - 1, target - *v);
}

static int choose(int n, int k) { return k == 0 || k == n ? 1 : choose(n - 1, k - 1) + choose(n - 1, k); }

static int next_permutation(int *v, int n) {
    int i = n - 2;
    while (i >= 0 && v[i] >= v[i + 1])
        i--;
    if (i < 0)
        return 0;
    int j = n - 1;
    while (v[j] <= v[i])
        j--;
    int t = v[i];
    v[i] = v[j], v[j] = t;
    for (int a = i + 1, b = n - 1; a < b; a++, b--)
        t = v[a], v[a] = v[b], v[b] = t;
    return 1;
}

int main(void) {
    char s[] = "abcde";
    permute(s, 0, (int)strlen(s));
    printf("\n%d %d\n", printed, checksum);
    int v[] = {3, 34, 4, 12, 5, 2, 7, 1};
    printf("%d %d\n", subsets(v, 8, 9), subsets(v, 8, 100));
    printf("%d\n", choose(12, 5));
    int p[] = {1, 1, 2, 3}, n = 1;
    while (next_permutation(p, 4))
        n++;
    printf("%d %d%d%d%d\n", n, p[0], p[1], p[2], p[3]);
    return checksum % 120;
}
