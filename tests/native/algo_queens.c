// N queens by backtracking with arrays and with bit masks.
#include <stdio.h>
#include <stdlib.h>

static int column[8], solutions;

static int safe(int row) {
    for (int r = 0; r < row; r++)
        if (column[r] == column[row] || abs(column[r] - column[row]) == row - r)
            return 0;
    return 1;
}

static void place(int row, int n) {
    if (row == n) {
        if (solutions++ == 0)
            for (int r = 0; r < n; r++) {
                for (int c = 0; c < n; c++)
                    putchar(column[r] == c ? 'Q' : '.');
                putchar('\n');
            }
        return;
    }
    for (column[row] = 0; column[row] < n; column[row]++)
        if (safe(row))
            place(row + 1, n);
}

static int masks(unsigned all, unsigned cols, unsigned left, unsigned right) {
    if (cols == all)
        return 1;
    int n = 0;
    for (unsigned free = all & ~(cols | left | right); free;) {
        unsigned bit = free & -free;
        free ^= bit;
        n += masks(all, cols | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return n;
}

int main(void) {
    place(0, 6);
    printf("%d\n", solutions);
    for (int n = 1; n <= 8; n++)
        printf("%d ", masks((1u << n) - 1, 0, 0, 0));
    puts("");
    return masks(255, 0, 0, 0);
}
