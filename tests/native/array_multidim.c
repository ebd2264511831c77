// Multi-dimensional arrays, rows as pointers, pointers to arrays, partial initialisers.
// also: -m32
#include <stdio.h>

static int cube[2][3][4] = {{{1, 2}, {3}}, {[2] = {[3] = 9}}};

static int row_sum(const int *row, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += row[i];
    return s;
}

static int plane_sum(int (*plane)[4], int rows) {
    int s = 0;
    for (int (*r)[4] = plane; r != plane + rows; r++)
        s += row_sum(*r, 4);
    return s;
}

static void transpose(int out[][3], const int in[3][4]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out[j][i] = in[i][j];
}

int main(void) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                cube[i][j][k] += i * 100 + j * 10 + k;
    printf("%d %d\n", plane_sum(cube[0], 3), plane_sum(cube[1], 3));
    int t[4][3];
    transpose(t, (const int (*)[4])cube[1]);
    for (int i = 0; i < 4; i++)
        printf("%d %d %d\n", t[i][0], t[i][1], t[i][2]);
    int (*whole)[2][3][4] = &cube;
    printf("%d %zu %zu\n", (*whole)[1][2][3], sizeof *whole, sizeof (*whole)[0]);
    printf("%d\n", *(*(*(cube + 1) + 1) + 2));
    char grid[3][5] = {"abcd", {'x', 'y'}, "efgh"};
    for (int i = 0; i < 3; i++)
        printf("%s ", grid[i]);
    puts("");
    return row_sum(t[3], 3) % 100;
}
