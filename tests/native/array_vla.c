// Variable length arrays, also two-dimensional and as parameters, sizeof at run time.
#include <stdio.h>

static int trace_of(int n, int m[n][n]) {
    int t = 0;
    for (int i = 0; i < n; i++)
        t += m[i][i];
    return t;
}

static int triangle(int n) {
    int total = 0;
    for (int i = 1; i <= n; i++) {
        int row[i];
        for (int j = 0; j < i; j++)
            row[j] = j == 0 || j == i - 1 ? 1 : row[j - 1] * (i - j) / j;
        for (int j = 0; j < i; j++)
            total += row[j];
        printf("%zu ", sizeof row);
    }
    puts("");
    return total;
}

static int reverse_digits(unsigned v) {
    int n = 1;
    for (unsigned w = v; w >= 10; w /= 10)
        n++;
    char text[n + 1];
    snprintf(text, (size_t)n + 1, "%u", v);
    int r = 0;
    while (n-- > 0)
        r = r * 10 + text[n] - '0';
    return r;
}

int main(void) {
    for (int n = 1; n <= 5; n++) {
        int m[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                m[i][j] = i * j + n;
        printf("%d %zu\n", trace_of(n, m), sizeof m / sizeof m[0][0]);
    }
    printf("%d\n", triangle(7));
    printf("%d %d\n", reverse_digits(12345), reverse_digits(900));
    int k = 3;
    typedef short row[k];
    k = 10;
    row r;
    for (int i = 0; i < 3; i++)
        r[i] = (short)(i * k);
    printf("%zu %d\n", sizeof(row), r[2]);
    return reverse_digits(37);
}
