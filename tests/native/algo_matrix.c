// Matrix multiplication, powers and determinants over integers and doubles.
#include <stdio.h>
#include <string.h>

#define N 6
typedef long matrix[N][N];

static void multiply(matrix out, const matrix a, const matrix b) {
    matrix t;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            long s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j] % 10007;
            t[i][j] = s % 10007;
        }
    memcpy(out, t, sizeof t);
}

static void power(matrix out, matrix base, unsigned e) {
    matrix r = {{0}};
    for (int i = 0; i < N; i++)
        r[i][i] = 1;
    for (; e; e >>= 1) {
        if (e & 1)
            multiply(r, (const long(*)[N])r, (const long(*)[N])base);
        multiply(base, (const long(*)[N])base, (const long(*)[N])base);
    }
    memcpy(out, r, sizeof r);
}

static double determinant(double m[4][4]) {
    double det = 1;
    for (int c = 0; c < 4; c++) {
        int p = c;
        while (p < 4 && m[p][c] == 0)
            p++;
        if (p == 4)
            return 0;
        if (p != c) {
            for (int k = 0; k < 4; k++) {
                double t = m[p][k];
                m[p][k] = m[c][k];
                m[c][k] = t;
            }
            det = -det;
        }
        det *= m[c][c];
        for (int r = c + 1; r < 4; r++) {
            double f = m[r][c] / m[c][c];
            for (int k = c; k < 4; k++)
                m[r][k] -= f * m[c][k];
        }
    }
    return det;
}

int main(void) {
    matrix m;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = (i * 17 + j * 31) % 23;
    power(m, m, 1000003);
    long trace = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            printf("%5ld", m[i][j]);
        puts("");
        trace += m[i][i];
    }
    double d[4][4] = {{0, 2, 1, 4}, {3, 1, 0, 2}, {1, 0, 2, 1}, {2, 5, 1, 1}};
    printf("%.4f\n", determinant(d));
    return (int)(trace % 120);
}
