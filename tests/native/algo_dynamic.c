// Dynamic programming: edit distance, longest common subsequence, knapsack and coin change.
#include <stdio.h>
#include <string.h>

static int min3(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

static int edit_distance(const char *a, const char *b) {
    int n = (int)strlen(a), m = (int)strlen(b);
    int d[n + 1][m + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++)
            d[i][j] = i == 0   ? j
                      : j == 0 ? i
                               : min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
    return d[n][m];
}

static int common(const char *a, const char *b, char *out) {
    static unsigned char l[32][32];
    int n = (int)strlen(a), m = (int)strlen(b);
    memset(l, 0, sizeof l);
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--)
            l[i][j] = a[i] == b[j] ? l[i + 1][j + 1] + 1 : l[i + 1][j] > l[i][j + 1] ? l[i + 1][j] : l[i][j + 1];
    for (int i = 0, j = 0; i < n && j < m;)
        if (a[i] == b[j])
            *out++ = a[i], i++, j++;
        else if (l[i + 1][j] >= l[i][j + 1])
            i++;
        else
            j++;
    *out = 0;
    return l[0][0];
}

static long knapsack(const int (*items)[2], int n, int limit) {
    long best[101] = {0};
    for (int i = 0; i < n; i++)
        for (int w = limit; w >= items[i][0]; w--) {
            long with = best[w - items[i][0]] + items[i][1];
            if (with > best[w])
                best[w] = with;
        }
    return best[limit];
}

static unsigned long long ways(const int *coins, int n, int amount) {
    unsigned long long w[201] = {1};
    for (int i = 0; i < n; i++)
        for (int v = coins[i]; v <= amount; v++)
            w[v] += w[v - coins[i]];
    return w[amount];
}

int main(void) {
    printf("%d %d %d\n", edit_distance("kitten", "sitting"), edit_distance("", "abc"), edit_distance("same", "same"));
    char out[32];
    int n = common("dynamic programming", "imagining a dream", out);
    printf("%d [%s]\n", n, out);
    static const int items[][2] = {{12, 4}, {2, 2}, {1, 1}, {4, 10}, {1, 2}, {30, 77}, {25, 60}};
    printf("%ld %ld\n", knapsack(items, 7, 15), knapsack(items, 7, 60));
    static const int coins[] = {1, 2, 5, 10, 20, 50, 100, 200};
    printf("%llu\n", ways(coins, 8, 200));
    return (int)(ways(coins, 8, 200) % 120);
}
